package partitioner_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/partitioner"
)

// sources returns a program with n nodes that read nothing.
func sources(n int) string {
	var b strings.Builder
	b.WriteString("module \"sources\"\nopset 20, \"ai.bytesandbrains.syscall\" 1\n\nfunc @main(%a.x0: int64[]) -> () {\n")
	for i := range n {
		fmt.Fprintf(&b, "  %%t%d = \"ai.bytesandbrains.syscall\":Clock() at \"a.go:%d\"\n", i, i+1)
	}
	for i := range n {
		fmt.Fprintf(&b, "  %%x%d = Add(%%%s, %%t%d)\n", i+1, []string{fmt.Sprint("x", i), "a.x0"}[max(1-i, 0)], i)
	}
	fmt.Fprintf(&b, "  %%e = \"ai.bytesandbrains.syscall\":AppEmit(%%x%d) {name = \"y\"}\n}\n", n)
	return b.String()
}

// joined returns a program that asks n questions and waits for all answers.
func joined(n int) string {
	var b strings.Builder
	b.WriteString("module \"joined\"\nopset 20, \"ai.bytesandbrains.syscall\" 1, \"ai.bytesandbrains.wire\" 1, \"ai.bytesandbrains.role.component\" 1\n\nfunc @main(%a.x: float32[4]) -> () {\n")
	fmt.Fprintf(&b, "  %%peers = \"ai.bytesandbrains.syscall\":Peers() {class = \"b\"} @a\n")
	sum := "a.x"
	for i := range n {
		fmt.Fprintf(&b, "  %%q%d, %%from%d = \"ai.bytesandbrains.wire\":Send(%%a.x, %%peers) {port = \"q%d\", to = \"b\"} @a\n", i, i, i)
		fmt.Fprintf(&b, "  %%m%d = \"ai.bytesandbrains.role.component\":Call(%%q%d) {method = \"M\", slot = \"c\", types = [\"float32[4]\"]} @b\n", i, i)
		fmt.Fprintf(&b, "  %%r%d = \"ai.bytesandbrains.wire\":Send(%%m%d, %%from%d) {port = \"r%d\", to = \"a\"} @b\n", i, i, i, i)
		fmt.Fprintf(&b, "  %%s%d = Add(%%%s, %%r%d) @a\n", i, sum, i)
		sum = fmt.Sprint("s", i)
	}
	fmt.Fprintf(&b, "  %%e = \"ai.bytesandbrains.syscall\":AppEmit(%%%s) {name = \"y\"} @a\n}\n", sum)
	return b.String()
}

// The work for a program of twice the size is far below four or eight times as much: the memory that is allocated
// measures it.
func TestLarge(t *testing.T) {
	for name, c := range map[string]struct {
		program func(n int) string
		n       int
		most    float64
	}{
		"sources": {sources, 300, 2.7},
		"joined":  {joined, 20, 5},
	} {
		t.Run(name, func(t *testing.T) {
			allocs := func(n int) float64 {
				m := compiled(t, name, c.program(n))
				return testing.AllocsPerRun(1, func() {
					if _, err := partitioner.Make(m.Clone(), partitioner.Options{Unbound: true}); err != nil {
						t.Fatal(err)
					}
				})
			}
			if once, twice := allocs(c.n), allocs(2*c.n); twice > c.most*once {
				t.Errorf("%.0f allocations, and %.0f for twice the size: want at most %v times as many", once, twice, c.most)
			} else {
				t.Logf("%.0f and %.0f allocations", once, twice)
			}
		})
	}
}
