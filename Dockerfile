# The product as an image. docs/deploy.md says how to run it; `npm test -- container` runs these steps without Docker.

FROM node:24-bookworm-slim AS base
WORKDIR /app

# Only what decides which packages are installed, so that a change of the code installs nothing again.
FROM base AS manifests
COPY package.json package-lock.json .npmrc ./
COPY bench/package.json bench/
COPY contract/package.json contract/
COPY dev-env/package.json dev-env/
COPY e2e/package.json e2e/
COPY extension/package.json extension/
COPY server/package.json server/
COPY stand-ins/package.json stand-ins/
COPY tools/package.json tools/
COPY web/package.json web/

FROM manifests AS build
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build

# The server's packages: without those for building, for the web app and for the bundled PostgreSQL.
FROM manifests AS packages
RUN npm ci --ignore-scripts --omit=dev --workspace=@x-automated/server

FROM base
RUN apt-get update \
  && apt-get install --yes --no-install-recommends tini \
  && rm -rf /var/lib/apt/lists/*
RUN install --directory --owner=node --group=node --mode=0700 /data /backups
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY deploy/back-up.sh deploy/
COPY extension/pages.json extension/
COPY --from=build /app/server/build server/build
COPY --from=build /app/server/src/db/migrations server/src/db/migrations
COPY --from=build /app/server/src/core/classifier/label-weights.bin server/src/core/classifier/
COPY --from=build /app/web/build/client web/build/client
COPY --from=build /app/web/build/pages.json web/build/
COPY --from=build /app/extension/.output/chrome-mv3 extension/.output/chrome-mv3
# A user id without an entry in /etc/passwd has no home otherwise, and a package asks for it.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data HOME=/tmp
USER node
EXPOSE 3000
# Only /data (a cache of pictures) and /tmp (files while they are imported) are written to.
VOLUME ["/data", "/tmp"]
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --retries=6 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/bin/tini", "--"]
CMD ["node", "server/build/main.js"]
