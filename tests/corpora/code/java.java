package org.example.library;

import java.time.LocalDate;
import java.util.List;
import static java.util.Objects.requireNonNull;

/** Lends books to members and knows what is overdue. */
@Service
public class LendingDesk extends Desk implements Closeable {
    private static final int MAX_LOANS = 5;
    private final LoanRepository loans;

    public LendingDesk(LoanRepository loans) {
        this.loans = requireNonNull(loans, "a lending desk cannot work without its loans");
        register(this);
    }

    /**
     * Lends a book unless the member has too many already.
     */
    @Transactional
    public Loan lend(Member member, Book book) {
        if (loans.countOpen(member) >= MAX_LOANS) {
            throw new TooManyLoans(member);
        }
        return loans.save(new Loan(member, book, LocalDate.now().plusWeeks(4)));
    }

    public List<Loan> overdue(LocalDate today) {
        return loans.findOpen().stream()
            .filter(loan -> loan.dueDate().isBefore(today))
            .sorted(Comparator.comparing(Loan::dueDate))
            .toList();
    }

    @Override
    public void close() {}

    /** A promise to bring a book back. */
    public record Loan(Member member, Book book, LocalDate dueDate) {
        boolean isOpen() { return !book.isOnShelf(); }
    }
}

interface Desk {
    void close();
}
