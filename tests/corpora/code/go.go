// Package ledger keeps accounts that always balance.
package ledger

import (
	"errors"
	"sync"

	"example.org/money"
)

// ErrUnbalanced says that debits and credits differ.
var ErrUnbalanced = errors.New("ledger: entry does not balance")

const maxLines = 64

// Entry is one booking: several lines whose amounts add up to zero.
type Entry struct {
	Text  string
	Lines []Line
}

// Line moves an amount on one account; credits are negative.
type Line struct {
	Account string
	Amount  money.Amount
}

// Book holds all entries of a year.
type Book struct {
	mutex   sync.RWMutex
	entries []Entry
	totals  map[string]money.Amount
}

// Post adds an entry to the book, or refuses it and changes nothing.
func (b *Book) Post(entry Entry) error {
	var sum money.Amount
	for _, line := range entry.Lines {
		sum = sum.Plus(line.Amount)
	}
	if !sum.IsZero() || len(entry.Lines) > maxLines {
		return ErrUnbalanced
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.entries = append(b.entries, entry)
	return nil
}

// Balance returns what an account holds after all entries so far.
func (b *Book) Balance(account string) money.Amount {
	b.mutex.RLock()
	defer b.mutex.RUnlock()
	return b.totals[account]
}

func (b *Book) Len() int { return len(b.entries) }

func NewBook() *Book { return &Book{} }
