package pprof

import (
	"bytes"
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/model"
)

// twoNodes is a session of two nodes, which calls during in the second.
type twoNodes struct {
	model.Session
	during func()
}

func (s twoNodes) Profiled() []model.ProfiledNode {
	return []model.ProfiledNode{{Name: "/layer1/conv1", Op: "Conv"}, {Name: "/layer1/relu", Op: "Relu"}}
}

func (s twoNodes) Profile(p model.Profiler) error {
	p.Begin(0, 1, 1)
	p.Begin(1, 1, 1)
	s.during()
	p.End()
	return nil
}

// TestLabeled checks the labels while a node runs, and after it.
func TestLabeled(t *testing.T) {
	const label = `"node":"/layer1/relu"`
	during := false
	s, err := Labeled(twoNodes{during: func() { during = strings.Contains(goroutines(), label) }})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(); err != nil {
		t.Fatal(err)
	}
	if !during {
		t.Errorf("the goroutine has no label %s while the node runs", label)
	}
	if strings.Contains(goroutines(), label) {
		t.Errorf("the goroutine has the label %s when the run is over", label)
	}
}

// goroutines lists all goroutines with their labels.
func goroutines() string {
	var b bytes.Buffer
	pprof.Lookup("goroutine").WriteTo(&b, 1)
	return b.String()
}

// TestLabeledPlain refuses code that does not report its nodes.
func TestLabeledPlain(t *testing.T) {
	if _, err := Labeled(struct{ model.Session }{}); err == nil {
		t.Error("a session that cannot be profiled is accepted")
	}
}
