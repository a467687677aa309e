# arxd in a container: one binary, the libraries it links, one volume.
#
#     docker build --tag arxd .
#     docker run --read-only --volume arxd-data:/data --publish 127.0.0.1:3000:3000 --env ARXD_OPEN=1 arxd
#
# Everything is configured by variables (README.md lists them). The database is /data/arxd.db; nothing
# else is written, so the root file system may be read-only. Beyond loopback, which is where a container
# listens, arxd starts only with ARXD_TOKENS_FILE or, to let everybody make links, ARXD_OPEN=1.

ARG BASE=debian:bookworm-slim

FROM ${BASE} AS build
WORKDIR /src
COPY deploy/install-deps.sh deploy/
RUN apt-get update && apt-get install --yes --no-install-recommends make && deploy/install-deps.sh run
COPY . .
RUN make --silent all && strip build/release/arxd build/release/arx

FROM ${BASE}
LABEL org.opencontainers.image.title="arxd" \
      org.opencontainers.image.description="Artifacts of agents as links" \
      org.opencontainers.image.licenses="MIT"
COPY deploy/install-deps.sh /tmp/
RUN /tmp/install-deps.sh image && rm -rf /tmp/install-deps.sh /var/lib/apt/lists/* /var/cache/apt/* /var/log/* && \
    useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin arxd && \
    install --directory --owner=arxd --group=arxd --mode=0750 /data
COPY --from=build /src/build/release/arxd /src/build/release/arx /usr/local/bin/
USER 10001
VOLUME /data
ENV HOST=0.0.0.0 PORT=3000 DB_PATH=/data/arxd.db
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=6s --start-period=30s CMD ["arxd", "--healthcheck"]
ENTRYPOINT ["arxd"]
