# docker build -t countersign .    What runs is gathered by scripts/runtime.ts; docs/container.md says how to start it.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN node scripts/runtime.ts /app \
  && chmod -R a+rX,go-w /app \
  && rm -rf /usr/local/lib/node_modules/npm/docs /usr/local/lib/node_modules/npm/man

FROM debian:bookworm-slim
COPY --from=build /usr/local/bin/node /usr/local/bin/node
# Servers that `npx` fetches need npm.
COPY --from=build /usr/local/lib/node_modules/npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \
  && ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
  && groupadd --gid 10001 countersign \
  && useradd --uid 10001 --gid countersign --home-dir /data/home --no-create-home --shell /usr/sbin/nologin countersign \
  && install --directory --owner=countersign --group=countersign --mode=0700 /data
COPY --from=build /app /app
WORKDIR /app
USER 10001:10001
# Everything that is written is in the volume; the rest of the file system may be read-only, with /tmp in memory.
ENV COUNTERSIGN_DATA=/data HOME=/data/home HOST=0.0.0.0 PORT=8787
VOLUME /data
EXPOSE 8787
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=4", "countersign.js"]
CMD ["start", "--config", "config/examples/container.yaml"]
