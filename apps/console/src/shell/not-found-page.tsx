import { Link } from 'react-router';
import { Page } from './page';
import { words } from './words';

export const NotFoundPage = () => (
  <Page name={words.notFound}>
    <p>{words.nothingHere}</p>
    <Link to="/flows">{words.toFlows}</Link>
  </Page>
);
