package partitioner_test

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/wire"
)

const twoEdges = `module "edges"
opset 20, "ai.bytesandbrains.wire" 1, "ai.bytesandbrains.syscall" 1

func @main(%a.x: float32[4,n]) -> (%b.y, %b.z) {
  %p = "ai.bytesandbrains.syscall":Peers() {class = "b"} @a
  %s = "ai.bytesandbrains.wire":Send(%a.x, %p) {port = "s", to = "b"} @a at "edges.go:3"
  %r = Relu(%a.x) @a
  %t = "ai.bytesandbrains.wire":Send(%r, %p) {port = "t", to = "b"} @a at "edges.go:5"
  %b.y = Exp(%s) @b
  %b.z = Exp(%t) @b
}
`

// TestCollision: two edges with one id are an error that the author can fix.
func TestCollision(t *testing.T) {
	opt := partitioner.Options{}.WithHash(func(string) wire.EdgeID { return 7 })
	_, err := partitioner.Make(compiled(t, "edges", twoEdges), opt)
	want := `edges.go:5: node "t" (ai.bytesandbrains.wire:Send): edge a.t has the id of edge a.s (edges.go:3): give one of them another name`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestFingerprint tests that peers with different values, senders or receivers on their edges have different
// fingerprints, and that names of values, constants and computations do not affect the fingerprint.
func TestFingerprint(t *testing.T) {
	first := fingerprint(t, twoEdges)
	for _, c := range []struct {
		old, new string
		same     bool
	}{
		{"%r = Relu", "%r = Tanh", true},
		{"%r", "%other", true},
		{"float32[4,n]", "float32[4,m]", true},
		{"float32[4,n]", "float32[5,n]", false},
		{"float32[4,n]", "float64[4,n]", false},
		{`port = "t"`, `port = "u"`, false},
		{"%b.z = Exp(%t)", "%b.z = Exp(%s)", false}, // no node receives t any more
	} {
		text := strings.ReplaceAll(twoEdges, c.old, c.new)
		if strings.Contains(c.new, "Exp(%s)") {
			text = strings.Replace(text, `%t = "ai.bytesandbrains.wire":Send(%r, %p) {port = "t", to = "b"} @a at "edges.go:5"`, "", 1)
		}
		if got := fingerprint(t, text); bytes.Equal(got, first) != c.same {
			t.Errorf("%s instead of %s: same fingerprint is %v, want %v", c.new, c.old, !c.same, c.same)
		}
	}
}

func fingerprint(t *testing.T, text string) []byte {
	t.Helper()
	p, err := partitioner.Make(compiled(t, "edges", text), partitioner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p.Fingerprint
}

// TestFingerprintOfModules tests that peers of which one class handles values in other executions have different fingerprints, although
// their edges are the same.
func TestFingerprintOfModules(t *testing.T) {
	apart := strings.ReplaceAll(twoEdges, "%b.z = Exp(%t)", "%b.z = Add(%t, %b.y)")
	if bytes.Equal(fingerprint(t, twoEdges), fingerprint(t, apart)) {
		t.Error("values that meet have the fingerprint of values that do not")
	}
	swapped := strings.NewReplacer("%s = ", "%t = ", "%t = ", "%s = ", "Exp(%s)", "Exp(%t)", "Exp(%t)", "Exp(%s)").Replace(twoEdges)
	if !bytes.Equal(fingerprint(t, twoEdges), fingerprint(t, swapped)) {
		t.Error("names of values matter")
	}
	timed := strings.NewReplacer("float32[4,n]", "float32[2]", "%r = Relu(%a.x) @a", `%tick = "ai.bytesandbrains.syscall":Interval() {period_ns = 9} @a
  %one = Constant() {value = float32[2] [1, 1]} @a
  %r = "ai.bytesandbrains.syscall":Gate(%one, %tick) @a
  %u = "ai.bytesandbrains.wire":Send(%a.x, %p) {port = "u", to = "b"} @a
  %w = "ai.bytesandbrains.syscall":AppEmit(%u) {name = "w"} @b`).Replace(twoEdges)
	if bytes.Equal(fingerprint(t, timed), fingerprint(t, strings.Replace(timed, "Send(%a.x, %p) {port = \"u\"", "Send(%r, %p) {port = \"u\"", 1))) {
		t.Error("values that are sent together have the fingerprint of values that are sent apart")
	}
}

// waiting is a program that waits in executions of the clock for what nobody sends in them.
const waiting = `module "waiting"
opset 20, "ai.bytesandbrains.wire" 1, "ai.bytesandbrains.syscall" 1

func @main(%b.z: float32[2]) -> () {
  const %one: float32[2] = [1, 1]
  %as = "ai.bytesandbrains.syscall":Peers() {class = "a"} @b at "b.go:1"
  %sent = "ai.bytesandbrains.wire":Send(%b.z, %as) {port = "y", to = "a"} @b at "b.go:2"
  %tick = "ai.bytesandbrains.syscall":Interval() {period_ns = 1000} @a at "a.go:1"
  %mine = "ai.bytesandbrains.syscall":Gate(%one, %tick) @a at "a.go:2"
  %y = "ai.bytesandbrains.wire":Recv() {port = "y", types = ["float32[2]"]} @a at "a.go:3"
  %v = "ai.bytesandbrains.syscall":Any(%mine, %y) @a at "a.go:4"
  %both = "ai.bytesandbrains.syscall":AppEmit(%v) {name = "v"} @a at "a.go:5"
  %also = "ai.bytesandbrains.syscall":AppEmit(%y) {name = "y"} @a at "a.go:6"
}
`

// An execution ends although nobody sends what it waits for, if it waits for a limited time, or if nothing but an Any reads it.
func TestEnds(t *testing.T) {
	refused := `a.go:1: node "tick" (ai.bytesandbrains.syscall:Interval): executions that begin so wait for edge b.y (b.go:2), which nobody sends in them: they would never end; a Queue or a Hold takes values from one execution to another`
	for _, c := range []struct{ old, new, want string }{
		{"", "", refused},
		{`port = "y", types`, `port = "y", within_ns = 5, types`, ""},
		{"AppEmit(%y)", "AppEmit(%one)", ""},
		{`to = "a"}`, `to = "a", apart = 1}`, refused},
	} {
		_, err := partitioner.Make(compiled(t, "waiting", strings.Replace(waiting, c.old, c.new, 1)), partitioner.Options{})
		if got := fmt.Sprint(err); got != cmp.Or(c.want, "<nil>") {
			t.Errorf("%s: got %s, want %s", c.new, got, c.want)
		}
	}
}

// TestDeterministic: the same program is always cut in the same way.
func TestDeterministic(t *testing.T) {
	text := edgeless(40)
	first := ""
	for range 5 {
		m, err := ir.Parse("many", text)
		if err == nil {
			err = pass.Run(m, pass.Pipeline, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := partitioner.Split(m, partitioner.SplitOptions{Stages: 3}); err != nil {
			t.Fatal(err)
		}
		p, err := partitioner.Make(m, partitioner.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := partitioner.Print(p); first == "" {
			first = got
		} else if got != first {
			t.Fatalf("cut differently:\n%s\n%s", first, got)
		}
	}
}

// edgeless returns a model of n operators, some of which read early values.
func edgeless(n int) string {
	var s strings.Builder
	s.WriteString("module \"many\"\nopset 20\n\nfunc @main(%v0: float32[n,4]) -> (%v" + strconv.Itoa(n) + ") {\n")
	for i := 1; i <= n; i++ {
		s.WriteString("  %v" + strconv.Itoa(i) + " = Add(%v" + strconv.Itoa(i-1) + ", %v" + strconv.Itoa(i/2) + ")\n")
	}
	s.WriteString("}\n")
	return s.String()
}
