package section

import (
	"fmt"
	"strconv"
	"strings"
)

// Counts is a flag with a list of numbers, such as numbers of threads.
type Counts []int

// String returns the numbers with commas between, as Set reads them.
func (c *Counts) String() string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint([]int(*c)), "[]"), " ", ",")
}

// Set adds the numbers of a list separated by commas.
func (c *Counts) Set(s string) error {
	for f := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(f)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is no number above 0; give some, as in 1,2,4", f)
		}
		*c = append(*c, n)
	}
	return nil
}
