package ir

import (
	"strings"
	"testing"
)

// A short text of sizes that stand for very many symbols is an error.
func TestParseLongSizes(t *testing.T) {
	d := "a"
	for range 5 {
		d = "max(mul(" + d + "+b,c" + sum(60) + "),1)"
	}
	_, err := ParseType("float32[" + d + "]")
	if err == nil || !strings.Contains(err.Error(), "dimension is too long") {
		t.Errorf("got %v", err)
	}
}

func sum(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("+s" + string(rune('A'+i%26)) + string(rune('A'+i/26)))
	}
	return b.String()
}
