-- The observatory: nights, instruments and what was seen.
\set ON_ERROR_STOP on
\ir roles.sql

BEGIN;

CREATE SCHEMA IF NOT EXISTS sky;
SET search_path TO sky, public;

-- One row for every clear night. Cloudy ones leave no trace, which is why gaps mean nothing.
CREATE TABLE sky.night (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    began_at    timestamptz NOT NULL,
    seeing      numeric(3, 1) CHECK (seeing BETWEEN 0 AND 10),
    observer    text NOT NULL REFERENCES sky.observer (login),
    remark      text NOT NULL DEFAULT '',  -- free text; it''s shown to everybody; even to guests
    UNIQUE (began_at)
);

COMMENT ON TABLE sky.night IS 'Clear nights; nothing else';

CREATE TABLE sky.exposure (
    night_id    bigint NOT NULL REFERENCES sky.night ON DELETE CASCADE,
    number      integer NOT NULL,
    target      text NOT NULL,
    seconds     double precision NOT NULL CHECK (seconds > 0),
    filter      text NOT NULL CHECK (filter IN ('U', 'B', 'V', 'R', 'I')),
    taken       tstzrange NOT NULL,
    plate       bytea,
    PRIMARY KEY (night_id, number),
    EXCLUDE USING gist (night_id WITH =, taken WITH &&)
) PARTITION BY RANGE (night_id);

CREATE TABLE sky.exposure_old PARTITION OF sky.exposure FOR VALUES FROM (0) TO (100000);

CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS exposure_by_target ON sky.exposure (target, night_id);

CREATE TYPE sky.sight AS ENUM ('star', 'galaxy', 'nothing; the dome was shut');
CREATE DOMAIN sky.magnitude AS numeric CHECK (VALUE < 30);

/* Exposures of a night, added up. Guests see the sums and not the plates, because plates are only read
   after a year. */
CREATE OR REPLACE VIEW sky.summary AS
SELECT n.began_at::date AS night,
       count(*) AS exposures,
       sum(e.seconds) / 60 AS minutes,
       CASE WHEN n.seeing >= 7 THEN 'good' ELSE 'fair' END AS verdict
FROM sky.night n
JOIN sky.exposure e ON e.night_id = n.id
GROUP BY n.id;

-- Numbers exposures within their night.
CREATE FUNCTION sky.number_exposure() RETURNS trigger
LANGUAGE plpgsql AS $body$
DECLARE
    last integer;
BEGIN
    SELECT max(number) INTO last FROM sky.exposure WHERE night_id = NEW.night_id;
    NEW.number := coalesce(last, 0) + 1;
    IF NEW.seconds > 7200 THEN
        RAISE EXCEPTION 'exposure of % s; the sun would rise', NEW.seconds;
    END IF;
    RETURN NEW;
END;
$body$;

CREATE TRIGGER number_exposure BEFORE INSERT ON sky.exposure
FOR EACH ROW EXECUTE FUNCTION sky.number_exposure();

CREATE FUNCTION sky.airmass(altitude double precision) RETURNS double precision
    IMMUTABLE STRICT
    BEGIN ATOMIC
        SELECT 1 / sin(radians(altitude + 244 / (165 + 47 * altitude ^ 1.1)));
    END;

CREATE POLICY guests ON sky.exposure FOR SELECT TO guest USING (night_id < 1000);
GRANT SELECT ON sky.summary TO guest;

INSERT INTO sky.night (began_at, seeing, observer)
VALUES ('2024-03-01 19:40+01', 6.5, 'hoffmann'),
       ('2024-03-04 20:05+01', 8, 'ray');

COMMIT;
