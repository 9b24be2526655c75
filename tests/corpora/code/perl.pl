#!/usr/bin/perl
package Harbour::Berth;

use strict;
use warnings;
use List::Util qw(first sum0);
use Harbour::Ship;

our $VERSION = '1.04';

=head1 NAME

Harbour::Berth - a place on the quay where ships are made fast

=head1 DESCRIPTION

A berth knows its length and the ships that lie there today. Nothing is kept on disk.

=cut

# Ships need room for their lines fore and aft.
use constant MARGIN_M => 15;

=head2 new

Makes an empty berth of the given length.

=cut

sub new {
    my ($class, %args) = @_;
    die "a berth has a length\n" unless $args{length_m};
    return bless { length_m => $args{length_m}, ships => [] }, $class;
}

=head2 moor

Takes a ship in, or dies when the quay is full. The pilot has to ask again at the next tide, because the
list of waiting ships is kept by the harbour and not by the berth.

=cut

sub moor {
    my ($self, $ship) = @_;
    my $free = $self->free_m;
    if ($ship->length_m + MARGIN_M > $free) {
        die sprintf "%s needs %d m, %d m are free\n", $ship->name, $ship->length_m, $free;
    }
    push @{ $self->{ships} }, $ship;
    return $self;
}

# Lines are counted once per ship, not once per side.
sub free_m {
    my $self = shift;
    my $taken = sum0 map { $_->length_m + MARGIN_M } @{ $self->{ships} };
    return $self->{length_m} - $taken;
}

my $by_name = sub {
    my ($name) = @_;
    return sub { $_[0]->name eq $name };
};

sub find { my ($self, $name) = @_; return first { $by_name->($name)->($_) } @{ $self->{ships} } }

package Harbour::Tariff {
    use POSIX qw(ceil);

    # Every day that has begun is paid for.
    sub days {
        my ($hours) = @_;
        return ceil($hours / 24);
    }

    sub fee {
        my ($class, $ship, $hours) = @_;
        my $rate = $ship->is_tanker ? 2.4 : 1.1;
        my $fee = $rate * $ship->length_m * days($hours);
        $fee *= 0.9 if $hours > 24 * 30;
        return $fee > 50 ? $fee : 50;
    }
}

1;

__END__

=head1 AUTHORS

The harbour office.

=cut
