package dataparallel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/model"
)

// TestSays checks that the training prints to the peer's events, one line each, or to standard output.
func TestSays(t *testing.T) {
	var out bytes.Buffer
	w := says([]string{"-events", "-"}, &out, &group{rank: 3})
	fmt.Fprint(w, "epoch 1 ")
	fmt.Fprint(w, " step 2\nepoch 2\nepo")
	d := json.NewDecoder(&out)
	for _, want := range []string{"epoch 1  step 2", "epoch 2"} {
		var l peer.Line
		if err := d.Decode(&l); err != nil || l.Kind != peer.Said || l.Name != want || l.Peer != "trainer-3" {
			t.Errorf("got %+v (%v), want %q of trainer-3", l, err, want)
		}
	}
	if d.More() {
		t.Error("half a line is told")
	}
	if w := says([]string{"-events", "file"}, &out, &group{}); w != &out {
		t.Error("what is printed is no text")
	}
}

// TestHelp checks that the help describes both parts of a command line, and lists the peer's commands.
func TestHelp(t *testing.T) {
	p := model.TrainProgram{Name: "lenet", Source: "lenet.onnx", Loss: "cross_entropy", Optimizer: "adamw"}
	var out, errs bytes.Buffer
	if code := Do(p, []string{"-h"}, &out, &errs); code != 0 {
		t.Errorf("exit code %d: %s", code, &errs)
	}
	for _, want := range []string{"the flags of the peer -- the flags of the training", "-listen", "keygen", "-eval-every"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the help has no %q:\n%s", want, &out)
		}
	}
	out.Reset()
	if code := Do(p, []string{"keygen", "-key", t.TempDir() + "/key.pem"}, &out, &errs); code != 0 || !strings.HasPrefix(out.String(), "12D3") {
		t.Errorf("exit code %d, %s%s", code, &out, &errs)
	}
}
