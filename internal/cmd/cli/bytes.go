package cli

import (
	"fmt"
	"strconv"
	"strings"
)

// units are the units of amounts of data in bytes. A unit comes before its suffixes.
var units = []struct {
	name  string
	bytes float64
}{
	{"gbit", 1e9 / 8}, {"mbit", 1e6 / 8}, {"kbit", 1e3 / 8}, {"bit", 1.0 / 8},
	{"gib", 1 << 30}, {"mib", 1 << 20}, {"kib", 1 << 10}, {"gb", 1e9}, {"mb", 1e6}, {"kb", 1e3}, {"b", 1}, {"", 1},
}

// amount parses a number and its unit.
func amount(text string) (bytes float64, unit string, ok bool) {
	s := strings.ToLower(strings.ReplaceAll(text, " ", ""))
	for _, u := range units {
		if number, found := strings.CutSuffix(s, u.name); found {
			n, err := strconv.ParseFloat(number, 64)
			return n * u.bytes, u.name, err == nil && n > 0 && n*u.bytes < 1<<62
		}
	}
	return 0, "", false
}

// Bytes is a flag for a number of bytes: 200MB, 1.5GiB or 4096.
type Bytes int

// Set parses the flag.
func (b *Bytes) Set(text string) error {
	n, unit, ok := amount(text)
	if !ok || n < 1 || strings.HasSuffix(unit, "bit") {
		return fmt.Errorf("%q is no number of bytes above 0, as in 200MB, 1.5GiB or 4096", text)
	}
	*b = Bytes(n)
	return nil
}

// String returns the number of bytes, or "" for zero.
func (b *Bytes) String() string {
	if *b == 0 {
		return ""
	}
	return strconv.Itoa(int(*b))
}

// Type returns the name of the value in help.
func (b *Bytes) Type() string { return "bytes" }

// Rate is a flag for a number of bytes per second: 100Mbit, 10MB or 64KiB/s.
type Rate float64

// Set parses the flag.
func (r *Rate) Set(text string) error {
	n, unit, ok := amount(strings.TrimSuffix(text, "/s"))
	if !ok || unit == "" {
		return fmt.Errorf("%q is no rate above 0, as in 100Mbit, 10MB or 64KiB a second", text)
	}
	*r = Rate(n)
	return nil
}

// String returns the rate, or "" for zero.
func (r *Rate) String() string {
	if *r == 0 {
		return ""
	}
	return fmt.Sprintf("%gB/s", float64(*r))
}

// Type returns the name of the value in help.
func (r *Rate) Type() string { return "rate" }
