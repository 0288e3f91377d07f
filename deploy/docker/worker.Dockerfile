# The worker. From the root of the repository:
#   docker build -f deploy/docker/worker.Dockerfile -t millrace-worker .
# The base must have /bin/sh: the compiler of code steps is started by it, with its limits (ADR 0016). On a distroless
# one no code step compiles. Run the image with an init (`docker run --init`): Node does not look after what builds leave.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
# Packages change less often than sources, so they are a layer of their own.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN NX_DAEMON=false NX_TUI=false npx nx build worker
# The build has a lock file of its own: the packages that this app needs, and no others. None of them needs its scripts.
WORKDIR /src/dist/apps/worker
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

# bubblewrap gives packages of pieces a file system of their own, where the container may make namespaces
# (docs/pieces-operations.md). The base lacks it, and one of its libraries.
FROM ${NODE_IMAGE} AS walls
RUN apt-get update && apt-get install --yes --no-install-recommends bubblewrap
RUN mkdir /walls && cp --parents --dereference /usr/bin/bwrap /usr/lib/*-linux-gnu/libcap.so.2 /walls

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="millrace-worker" \
      org.opencontainers.image.description="Executes the runs of Millrace" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="0.1.0"
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=2 \
    SVC_HOST=0.0.0.0 \
    SVC_WORKER_PORT=3002 \
    SVC_DATA_DIR=/tmp/millrace
WORKDIR /app
COPY --from=build /src/dist/apps/worker ./
COPY --from=walls /walls /
# No account has this id, and no file belongs to it. The app writes below /tmp alone.
USER 10001:10001
EXPOSE 3002
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=2m \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SVC_WORKER_PORT}/api/v1/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The flags keep heaps small (docs/performance.md).
CMD ["node", "--max-semi-space-size=4", "--heap-growing-percent=20", "--v8-pool-size=1", "main.cjs"]
