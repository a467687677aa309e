package test.example.billing;

import java.time.Clock;
import java.time.LocalDate;
import java.time.Year;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Number of an invoice: year, series and a gapless counter, for example {@code 2025-W-000417}. */
public record InvoiceNumber(Year year, Series series, int counter) implements Comparable<InvoiceNumber> {

    private static final Pattern FORM = Pattern.compile("(\\d{4})-([WRS])-(\\d{6})");
    private static final int LAST = 999_999;

    public enum Series {
        WEB('W'), RETAIL('R'), SERVICE('S');

        private final char letter;

        Series(char letter) {
            this.letter = letter;
        }

        static Series of(char letter) {
            for (Series series : values()) {
                if (series.letter == letter) {
                    return series;
                }
            }
            throw new IllegalArgumentException("no series " + letter);
        }
    }

    public InvoiceNumber {
        Objects.requireNonNull(year, "year");
        Objects.requireNonNull(series, "series");
        if (counter < 1 || counter > LAST) {
            throw new IllegalArgumentException("counter out of range: " + counter);
        }
    }

    public static Optional<InvoiceNumber> parse(String text) {
        Matcher m = FORM.matcher(text.strip());
        if (!m.matches() || Integer.parseInt(m.group(3)) == 0) {
            return Optional.empty();
        }
        return Optional.of(new InvoiceNumber(
                Year.parse(m.group(1)), Series.of(m.group(2).charAt(0)), Integer.parseInt(m.group(3))));
    }

    public InvoiceNumber next(Clock clock) {
        Year now = Year.from(LocalDate.now(clock));
        return now.isAfter(year)
                ? new InvoiceNumber(now, series, 1)
                : new InvoiceNumber(year, series, counter + 1);
    }

    @Override
    public int compareTo(InvoiceNumber other) {
        int byYear = year.compareTo(other.year);
        if (byYear != 0) {
            return byYear;
        }
        int bySeries = series.compareTo(other.series);
        return bySeries != 0 ? bySeries : Integer.compare(counter, other.counter);
    }

    @Override
    public String toString() {
        return String.format("%s-%c-%06d", year, series.letter, counter);
    }
}
