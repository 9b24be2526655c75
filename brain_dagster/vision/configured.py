"""The vision step that the settings name."""

from __future__ import annotations

from importlib.util import find_spec

from brain_dagster.settings import Settings
from brain_dagster.vision.base import ReaderUnavailable, VisionMisconfigured
from brain_dagster.vision.endpoint import EndpointReader, endpoint_identity
from brain_dagster.vision.rapid import RAPIDOCR_IDENTITY
from brain_dagster.vision.step import VisionStep
from brain_dagster.vision.tesseract import installed_tesseract, tesseract_identity


def vision_identity(settings: Settings) -> str:
    """Name what reads pictures of pages, for the recipe: with another reader, documents are read again.

    A program that is missing has a name of its own, so that installing it is enough.
    """
    if settings.vision == "rapidocr":
        return RAPIDOCR_IDENTITY if find_spec("rapidocr") else "rapidocr/absent"
    if settings.vision == "tesseract":
        return tesseract_identity(settings.vision_languages or "")
    if settings.vision == "endpoint":
        return endpoint_identity(settings.vision_model)
    return "none"


def open_vision(settings: Settings) -> VisionStep | None:
    """Return the configured step, or None; starts no process and opens no connection yet.

    Errors  VisionMisconfigured - what BRAIN_VISION names needs another setting, or one cannot be used.
    """
    if settings.vision == "none":
        return None
    identity = vision_identity(settings)
    if settings.vision == "endpoint":
        if settings.vision_url is None or settings.vision_model is None:
            raise VisionMisconfigured("BRAIN_VISION=endpoint needs BRAIN_VISION_URL and BRAIN_VISION_MODEL")
        reader = EndpointReader(
            settings.vision_url,
            settings.vision_model,
            settings.vision_api_key,
            timeout_s=settings.vision_timeout_s,
        )
        return VisionStep(settings, identity, reader)
    if settings.vision == "rapidocr" and find_spec("rapidocr") is None:
        missing = ReaderUnavailable("BRAIN_VISION=rapidocr, but the package rapidocr is not installed")
        return VisionStep(settings, identity, unavailable=missing)
    if settings.vision == "tesseract" and not installed_tesseract()[0]:
        missing = ReaderUnavailable("BRAIN_VISION=tesseract, but the command tesseract is not installed")
        return VisionStep(settings, identity, unavailable=missing)
    return VisionStep(settings, identity)
