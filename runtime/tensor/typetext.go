package tensor

import (
	"strconv"
	"strings"
)

// TypeText returns a type in the notation of models: float32[1,784].
func TypeText(d DType, shape []int) string {
	s := make([]string, len(shape))
	for i, n := range shape {
		s[i] = strconv.Itoa(n)
	}
	return d.String() + "[" + strings.Join(s, ",") + "]"
}
