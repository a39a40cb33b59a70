package runtime

import (
	"errors"
	"fmt"
	"testing"
)

// A loop goes on after a round without a quorum, and after no other failure.
func TestShortIsAboutQuorums(t *testing.T) {
	for why, goesOn := range map[error]bool{fmt.Errorf("2 of 3: %w", ErrQuorum): true, errors.New("a kernel failed"): false} {
		again := false
		m := testModule("m", []Cut{{Kind: InputCut}, {Kind: TimerCut}}, []Block{{Wait: 1, Starts: 2}, {Wait: 2}},
			func(*testBody, *Node) error { return why },
			func(*testBody, *Node) error { again = true; return nil })
		m.Inputs, m.Short, m.Again = []int{0}, ShortRepeats, 1
		n := testNode(t, Config{}, &Partition{Modules: []Module{m}})
		pollAll(n, 0)
		if _, err := n.Invoke(0, "m", nil); err != nil {
			t.Fatal(err)
		}
		pollAll(n, 0)
		pollAll(n, longestWait)
		if again != goesOn || n.Stats().Live != 0 {
			t.Errorf("%v: the loop goes on: %v, want %v; %d executions are left", why, again, goesOn, n.Stats().Live)
		}
	}
}
