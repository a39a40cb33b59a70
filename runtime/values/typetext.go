package values

import (
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TypeText returns a type in the notation of models: float32[1,784].
func TypeText(d tensor.DType, shape []int) string {
	s := make([]string, len(shape))
	for i, n := range shape {
		s[i] = strconv.Itoa(n)
	}
	return d.String() + "[" + strings.Join(s, ",") + "]"
}
