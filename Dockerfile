# Two stages: the first builds the command as one static file, the second contains this file alone.
#   docker build -t tetrastat .
#   docker run --rm -v "$PWD:/data" tetrastat simulate --out my-run
FROM rust:1.95-alpine AS build
RUN apk add --no-cache musl-dev
WORKDIR /source
COPY . .
RUN cargo build --locked --profile dist --bin tetrastat

FROM scratch
COPY --from=build /source/target/dist/tetrastat /tetrastat
COPY --from=build /source/LICENSE /source/THIRD-PARTY-NOTICES.txt /
WORKDIR /data
ENTRYPOINT ["/tetrastat"]
