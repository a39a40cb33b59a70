package serve

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// size is a flag in bytes: 65536, 64KiB, 16MiB or 1GiB.
type size int64

var units = []struct {
	suffix string
	shift  int
}{{"GiB", 30}, {"MiB", 20}, {"KiB", 10}, {"", 0}}

// String returns the size in the largest unit that divides it.
func (s *size) String() string {
	for _, u := range units {
		if n := int64(*s) >> u.shift; n<<u.shift == int64(*s) && n > 0 {
			return fmt.Sprintf("%d%s", n, u.suffix)
		}
	}
	return "0"
}

// Set parses a positive size.
func (s *size) Set(text string) error {
	for _, u := range units {
		digits, ok := strings.CutSuffix(text, u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n <= 0 || n > math.MaxInt64>>u.shift {
			break
		}
		*s = size(n << u.shift)
		return nil
	}
	return fmt.Errorf("want a size above 0 as in 65536, 64KiB, 16MiB or 1GiB")
}
