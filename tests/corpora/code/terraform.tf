# The lending library: one bucket for covers, one queue for reservations.
terraform {
  required_version = ">= 1.6"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.0"
    }
  }
}

provider "aws" {
  region = var.region
}

variable "region" {
  description = "Where the library stands."
  type        = string
  default     = "eu-central-1"
}

variable "branches" {
  type = map(object({
    city  = string
    seats = optional(number, 12)
  }))

  # A branch without seats is a bus.
  validation {
    condition     = alltrue([for branch in var.branches : branch.seats >= 0])
    error_message = "Seats cannot be negative."
  }
}

locals {
  name = "library-${terraform.workspace}"
  tags = {
    owner = "reading-room"
    since = "1911"
  }
}

data "aws_caller_identity" "current" {}

# Covers are scanned once and never change.
resource "aws_s3_bucket" "covers" {
  bucket = "${local.name}-covers"
  tags   = local.tags

  # Old scans go to the cellar.
  lifecycle_rule {
    id      = "cellar"
    enabled = true

    transition {
      days          = 365
      storage_class = "GLACIER"
    }
  }

  dynamic "logging" {
    for_each = toset(var.region == "eu-central-1" ? ["on"] : [])
    content {
      target_bucket = aws_s3_bucket.logs.id
      target_prefix = "covers/${data.aws_caller_identity.current.account_id}/"
    }
  }

  versioning { enabled = true }
}

resource "aws_sqs_queue" "reservations" {
  for_each                   = var.branches
  name                       = "${local.name}-${each.key}"
  visibility_timeout_seconds = 90
  policy                     = <<-POLICY
    {"Statement": [{"Effect": "Allow", "Action": "sqs:SendMessage"}]}
  POLICY
}

module "desk" {
  source = "./modules/desk"
  queue  = values(aws_sqs_queue.reservations)[*].arn
}

output "covers_url" {
  value = "https://${aws_s3_bucket.covers.bucket_regional_domain_name}"
}
