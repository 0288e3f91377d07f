export const openDocumentation = (): void => void window.open('/api/docs', '_blank', 'noopener');
