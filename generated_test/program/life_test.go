package program_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"

	worker "github.com/bbgen/bbgen/generated_test/program/everything/peer/worker/partition"
)

// TestLife tests that modules which wait for a phase run in that phase, before the host gets the event of a
// later one.
func TestLife(t *testing.T) {
	self, err := wire.PeerIDOf(bytes.Repeat([]byte{1}, 32))
	if err != nil {
		t.Fatal(err)
	}
	n, err := worker.Install(self, "", worker.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	poll := func(now int64) {
		for {
			o, ok := n.Poll(now)
			if !ok {
				return
			}
			if o.Kind != runtime.Tell {
				continue
			}
			switch e := o.Event; {
			case e.Kind == runtime.Phase:
				got = append(got, e.Name)
			case e.Kind == runtime.Published && strings.HasPrefix(e.Name, "is_"):
				got = append(got, e.Name)
			case e.Kind == runtime.Failed:
				got = append(got, fmt.Sprint(e.Err))
			}
		}
	}
	poll(0)
	n.Stop(1)
	for now := int64(1); now < 10e9; now += 1e9 {
		poll(now)
	}
	if want := strings.Fields("bootstrap is_bootstrap running is_running stopping is_stopping is_stopped stopped"); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
