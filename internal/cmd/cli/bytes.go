package cli

import (
	"fmt"
	"strconv"
	"strings"
)

// Bytes is a flag that is a number of bytes: 200MB, 1.5GiB or 4096.
type Bytes int

// units are the units of bytes, the longer names first.
var units = []struct {
	name  string
	bytes float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}, {"", 1},
}

// Set reads the flag.
func (b *Bytes) Set(text string) error {
	for _, u := range units {
		number, ok := strings.CutSuffix(strings.ToUpper(text), strings.ToUpper(u.name))
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !(v*u.bytes >= 1 && v*u.bytes <= 1<<62) {
			break
		}
		*b = Bytes(v * u.bytes)
		return nil
	}
	return fmt.Errorf("%q is no number of bytes above 0, as in 200MB, 1.5GiB or 4096", text)
}

// String is the number of bytes, "" for none.
func (b *Bytes) String() string {
	if *b == 0 {
		return ""
	}
	return strconv.Itoa(int(*b))
}

// Type is what help calls the value.
func (b *Bytes) Type() string { return "bytes" }
