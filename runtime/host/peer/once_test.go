package peer

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/feed"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
	"github.com/bbgen/bbgen/runtime/wire"
)

// TestOnceAwaitsAnswers: with -once a peer does not end when the executions of its inputs have ended here, but when their answers have
// come, too.
func TestOnceAwaitsAnswers(t *testing.T) {
	h := newPagesHost(t)
	p, _ := emptyPartition(runtime.Env{})
	p.Modules = append(p.Modules, runtime.Module{Name: "answer", New: p.Modules[0].New, Blocks: make([]runtime.Block, 1)})
	m := &p.Modules[0]
	m.Inputs, m.Cuts, m.Answers = []int{0}, []runtime.Cut{{Kind: runtime.InputCut, Name: "q"}}, []int{1}
	n, err := runtime.New(runtime.Config{Self: testID(1), Incarnation: 1}, p)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "q.pb")
	if err := os.WriteFile(file, tensorio.AppendTensor(nil, "q", tensor.Of([]float32{1})), 0o666); err != nil {
		t.Fatal(err)
	}
	if h.feed, err = feed.New(p, []string{"q=" + file}); err != nil {
		t.Fatal(err)
	}
	h.node, h.options, h.started = n, &Options{Once: true}, true
	poll := func() {
		for ok := true; ok; {
			var o runtime.Output
			if o, ok = n.Poll(0); ok && o.Kind == runtime.Tell {
				h.feed.Follow(*o.Event)
			}
		}
	}
	poll()
	if began, err := h.feed.Begin(n, 0, 1); !began || err != nil {
		t.Fatal(began, err)
	}
	poll()
	if s := n.Stats(); s.Live+s.Outbound > 0 {
		t.Fatalf("%d executions live here and %d messages are under way, want none", s.Live, s.Outbound)
	}
	if h.finish(); h.stopping {
		t.Error("it ends without the answer")
	}
	h.feed.Follow(runtime.Event{Kind: runtime.Finished, Module: "answer", Exec: wire.ExecID{Origin: testID(1), Incarnation: 1, Number: 1}})
	if h.finish(); !h.stopping {
		t.Error("the answer has come, and it does not end")
	}
}
