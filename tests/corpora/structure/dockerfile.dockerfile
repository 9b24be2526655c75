# syntax=docker/dockerfile:1
ARG PYTHON=3.12

# Wheels are built where there is a compiler.
FROM python:${PYTHON} AS build
WORKDIR /src
# The lock changes seldom, so that this layer is kept.
COPY requirements.lock .
RUN pip wheel --no-deps \
      --wheel-dir /wheels \
      # only what is pinned
      --requirement requirements.lock
COPY . .
RUN <<CHECK
FROM=scratch
python -m compileall -q honeycomb
python -m honeycomb.selfcheck --strict
CHECK
RUN pip wheel --no-deps --wheel-dir /wheels .

FROM node:22-slim
RUN npm ci && npm run build

FROM python:${PYTHON}-slim AS run
COPY --from=build /wheels /wheels
RUN pip install --no-index /wheels/*.whl && rm -r /wheels
USER nobody
HEALTHCHECK --interval=30s CMD ["honeycomb", "ping"]
ENTRYPOINT ["honeycomb", "serve", "--port", "8080"]
