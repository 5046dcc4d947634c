# The site in a container. compose.yaml runs it behind Caddy (docs/hosting.md).
# Images are pinned by digest, and Dependabot updates them (.github/dependabot.yml).
FROM node:24-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY site/build-tools site/build-tools
COPY scripts scripts
RUN node scripts/setup.mjs

COPY tsconfig.json vite.config.ts ./
COPY leads leads
COPY site site
COPY desk desk
# These values become part of the built page, so none of them is secret.
ARG PUBLIC_URL
ARG SUPABASE_ANON_KEY
ARG VITE_SUPABASE_URL
ARG VITE_SUPABASE_ANON_KEY
ARG VITE_GOOGLE_MAPS_API_KEY
RUN node scripts/setup.mjs start

# Keep the Node version from the lockfile, then remove packages that the running server does not need.
RUN cp -L node_modules/.bin/node /usr/local/bin/pinned-node \
  && npm pkg delete workspaces \
  && npm prune --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund --loglevel=error

FROM debian:bookworm-slim@sha256:88200866dfff7ea7f5cbcb6ec7c8a701889efe6fe859fe64d6990e4b07ea4171
RUN useradd --uid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin roofing \
  && install -d -o roofing -g roofing -m 700 /data
WORKDIR /app
COPY --from=build /usr/local/bin/pinned-node /usr/local/bin/node
COPY --from=build /app/node_modules node_modules
COPY package.json ./
COPY supabase/migrations supabase/migrations
COPY leads leads
COPY site site
COPY server server
COPY cli cli
COPY --from=build /app/dist-desk dist-desk
COPY --from=build /app/dist-render dist-render
COPY --from=build /app/dist dist

ENV HOST=0.0.0.0 PORT=3000 DESK_HOST=0.0.0.0 DESK_PORT=3001 DATA_DIR=/data
USER roofing
VOLUME /data
EXPOSE 3000 3001
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "server/main.ts"]
