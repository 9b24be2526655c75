# The radio of a village: a transmitter, a library of records and the clock that starts them.
{ config, lib, pkgs, ... }:

let
  inherit (lib) mkEnableOption mkIf mkOption types;

  cfg = config.services.villageRadio;
  hours = import ./hours.nix { inherit lib; };

  # Records are played in the order of their names.
  playlist = records: lib.sort (a: b: a.name < b.name) records;

  # One unit for every programme. The transmitter is warmed up two minutes before, because its valves are
  # older than the house, and is left on when the next programme follows within a quarter of an hour.
  programmeUnit = name: { start, records, silent ? false }: {
    description = "Programme ${name} of the village radio";
    after = [ "network.target" "transmitter.service" ];
    startAt = hours.minus start 2;
    serviceConfig = {
      ExecStart = "${pkgs.mpg123}/bin/mpg123 ${lib.concatStringsSep " " (playlist records)}";
      Restart = if silent then "no" else "on-failure";
    };
  };

  transmitter = pkgs.stdenv.mkDerivation {
    pname = "transmitter";
    version = "2.1";
    src = ./transmitter;
    nativeBuildInputs = [ pkgs.pkg-config ];
  };
in
{
  imports = [
    ./hours.nix
    ../common/audio.nix
  ];

  options.services.villageRadio = {
    enable = mkEnableOption "the radio of the village";

    # In kilohertz; the neighbours have the rest of the band.
    frequency = mkOption {
      type = types.ints.between 526 1606;
      default = 1593;
      description = "Where the transmitter sends. Ask the mayor before you change it.";
    };

    programmes = mkOption {
      type = types.attrsOf (types.submodule {
        options = {
          start = mkOption { type = types.str; };
          records = mkOption { type = types.listOf types.path; default = [ ]; };
        };
      });
      default = { };
      example = { morning = { start = "06:30"; records = [ ./polka.mp3 ]; }; };
    };
  };

  config = mkIf cfg.enable {
    environment.systemPackages = [ transmitter ];

    systemd.services = lib.mapAttrs programmeUnit cfg.programmes // {
      transmitter = {
        wantedBy = [ "multi-user.target" ];
        serviceConfig.ExecStart = "${transmitter}/bin/send --khz ${toString cfg.frequency}";
      };
    };
  };

  meta.maintainers = [ "the baker" ];
}
