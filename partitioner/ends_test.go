package partitioner_test

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/partitioner"
)

// foreign is a program in which peers of b begin executions, and those of a wait in them for their own host.
const foreign = `module "foreign"
opset 20, "ai.bytesandbrains.wire" 1, "ai.bytesandbrains.syscall" 1

func @main(%a.x: float32[2]) -> () {
  const %one: float32[2] = [1, 1]
  BEGIN
  %as = "ai.bytesandbrains.syscall":Peers() {class = "a"} @b at "b.go:2"
  %y = "ai.bytesandbrains.wire":Send(%sent, %as) {port = "y", to = "a"} @b at "b.go:3"
  %v = "ai.bytesandbrains.syscall":Any(%a.x, %y) @a at "a.go:1"
  %out = "ai.bytesandbrains.syscall":AppEmit(%v) {name = "v"} @a at "a.go:2"
  %neg = Neg(%a.x) @a at "a.go:3"
  %also = "ai.bytesandbrains.syscall":AppEmit(%neg) {name = "x"} @a at "a.go:4"
}
`

// What a message brings about does not wait for the host, however the execution of the message has begun.
func TestForeignHost(t *testing.T) {
	for begin, want := range map[string]string{
		`%tick = "ai.bytesandbrains.syscall":Interval() {period_ns = 9} @b at "b.go:1"
  %sent = "ai.bytesandbrains.syscall":Gate(%one, %tick) @b`: `interval, which begin by node "tick" (ai.bytesandbrains.syscall:Interval)`,
		`%round, %sent = "ai.bytesandbrains.syscall":Rounds(%one) {n = 2, name = "r"} @b at "b.go:1"
  %next = "ai.bytesandbrains.syscall":Next(_, %sent) {name = "r"} @b`: "b, which begin in rounds",
		`%now = "ai.bytesandbrains.syscall":RngU64() @b
  %f = Cast(%now) {to = 1} @b
  %sent = Mul(%f, %one) @b`: "start, which begin when the peer starts",
	} {
		_, err := partitioner.Make(compiled(t, "foreign", strings.Replace(foreign, "BEGIN", begin, 1)), partitioner.Options{})
		want = `a.go:3: node "neg" (Neg): waits for input x, which the host of this peer gives in executions that it begins, but not in those of module ` + want +
			`: they would never end; a Queue or a Hold takes values from one execution to another`
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Without the block that waits, the program is cut: Any takes what comes first.
func TestForeignAny(t *testing.T) {
	begin := `%tick = "ai.bytesandbrains.syscall":Interval() {period_ns = 9} @b
  %sent = "ai.bytesandbrains.syscall":Gate(%one, %tick) @b`
	text := strings.NewReplacer("BEGIN", begin, "AppEmit(%neg)", "AppEmit(%v)").Replace(foreign)
	p, err := partitioner.Make(compiled(t, "foreign", text), partitioner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range p.Parts[0].Modules {
		for _, b := range m.Blocks {
			if len(b.Wait) > 1 && !b.Any {
				t.Errorf("block %s waits for %v, want one of them", b.Name, b.Wait)
			}
		}
	}
}
