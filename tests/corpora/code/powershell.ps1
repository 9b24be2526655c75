using namespace System.Collections.Generic
using module ./Shelf.psm1

Import-Module -Name Archive.Tools
. "$PSScriptRoot/colours.ps1"

$ErrorActionPreference = 'Stop'
# Boxes heavier than this need two people.
$script:HeavyKg = 25

<#
.SYNOPSIS
Finds the boxes in which something lies.

.DESCRIPTION
Labels are compared without regard to case, and a box whose label nobody can read any more is looked up in
the old ledger.

.PARAMETER Word
What to look for.

.EXAMPLE
Find-Box -Word maps
#>
function Find-Box {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory)] [string] $Word,
        [int] $First = 10
    )
    begin {
        $found = [List[Box]]::new()
    }
    process {
        foreach ($box in Get-Box) {
            if ($box.Label -like "*$Word*" -or $box.Contents -contains $Word) {
                $found.Add($box)
            }
        }
    }
    end {
        $found | Sort-Object -Property Shelf | Select-Object -First $First
    }
}

function Get-Box { [Archive]::Current.Boxes }

# Colours say how full a shelf is.
enum Fill {
    Empty
    Half
    Full
}

class Box {
    [string] $Label
    [string[]] $Contents = @()
    hidden [double] $Kg

    Box([string] $label, [double] $kg) {
        $this.Label = $label
        $this.Kg = $kg
    }

    # Two people lift what one should not.
    [bool] IsHeavy() {
        return $this.Kg -gt $script:HeavyKg
    }

    [void] Put([string] $thing, [double] $kg) {
        if ($this.Kg + $kg -gt 60) {
            throw "box '$($this.Label)' would be too heavy for the shelf, take a new one"
        }
        $this.Contents += $thing
        $this.Kg += $kg
    }

    static [Box] Parse([string] $line) {
        $label, $kg, $things = $line -split ';'
        $box = [Box]::new($label, [double] $kg)
        $box.Contents = $things -split ','
        return $box
    }
}

class Archive : Shelf {
    static [Archive] $Current
    [Box[]] $Boxes
}

filter Format-Box { '{0,-20} {1,6:n1} kg' -f $_.Label, $_.Kg }

function script:Write-Labels([string] $Path) {
    function Format-Label($box) { "[$($box.Label)]" }
    Get-Content $Path | ForEach-Object { [Box]::Parse($_) } | ForEach-Object { Format-Label $_ }
}

if ($IsWindows) {
    function Out-Label($text) { Start-Process -FilePath labels.exe -ArgumentList $text }
}

Export-ModuleMember -Function 'Find-Box', 'Get-Box'
