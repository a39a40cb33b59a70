package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/safetensors"
	"github.com/bbgen/bbgen/runtime/wire"
)

// cluster is a folder with the keys of stages, a list of them, and data: each y is three times its x.
type cluster struct {
	dir  string
	keys []string // files, by stage
	list string
	data string

	members []peer.Member
}

func newCluster(t *testing.T, stages int) *cluster {
	t.Helper()
	dir := t.TempDir()
	c := &cluster{dir: dir, list: filepath.Join(dir, "peers.json"), data: filepath.Join(dir, "data.csv")}
	ip := launch.Loopback() // where no other program takes a port that was free
	for k := range stages {
		c.keys = append(c.keys, filepath.Join(dir, fmt.Sprint(k, ".pem")))
		key, err := peer.NewKey(c.keys[k])
		if err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("tcp", ip+":0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		at := wire.Address(fmt.Sprintf("/ip4/%s/tcp/%d", ip, l.Addr().(*net.TCPAddr).Port))
		c.members = append(c.members, peer.Member{ID: peer.IDOf(key), Class: Class, Rank: k, Addresses: []wire.Address{at}})
	}
	list, err := json.Marshal(c.members)
	if err != nil {
		t.Fatal(err)
	}
	text := "x,y\n"
	for i := range 40 {
		text += fmt.Sprintf("%g,%g\n", float32(i)/40, 3*float32(i)/40)
	}
	for name, b := range map[string][]byte{c.list: list, c.data: []byte(text)} {
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// args returns the command line of a stage.
func (c *cluster) args(k int, own, training string) []string {
	args := append([]string{"-key", c.keys[k], "-peers", c.list}, strings.Fields(own)...)
	return append(append(args, "--", "-data", c.data, "-threads", "1"), strings.Fields(training)...)
}

// output is what a stage has printed, and its exit code.
type output struct {
	code        int
	said, error bytes.Buffer
}

// train runs all stages until they have ended, in the cluster's folder.
func (c *cluster) train(t *testing.T, m *scales, own, training string) []*output {
	t.Helper()
	t.Chdir(c.dir)
	outs := make([]*output, len(m.Stages))
	var all sync.WaitGroup
	for k := range outs {
		o := &output{}
		outs[k] = o
		all.Go(func() { o.code = Do(&m.Model, c.args(k, own, training), &o.said, &o.error) })
	}
	all.Wait()
	return outs
}

// newTrained returns a model with what the training loop wants of a whole one.
func newTrained(stages int) *scales {
	m := newScales(stages, 0)
	last := &m.last().Program
	last.Loss, last.Optimizer, last.Rate = "mse", "sgd", 0.01
	return m
}

// weights reads the weights in a file.
func weights(t *testing.T, file string) (list []float32) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := safetensors.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	for k := 0; f.Tensors[fmt.Sprint("w", k)] != nil; k++ {
		list = append(list, tensor.Data[float32](f.Tensors[fmt.Sprint("w", k)])[0])
	}
	return list
}

// TestDo trains three stages from their command lines. Only the last one prints and writes files; these have the weights of
// all stages, whose product has learned to multiply by three.
func TestDo(t *testing.T) {
	c, m := newCluster(t, 3), newTrained(3)
	outs := c.train(t, m, "-micro-batches 3", "-epochs 30 -batch 6 -lr 0.1 -o w.safetensors")
	for k, o := range outs {
		if o.code != 0 || o.error.Len() > 0 {
			t.Errorf("stage %d: exit code %d, %s", k, o.code, &o.error)
		}
		if last := k == 2; last != strings.Contains(o.said.String(), "epoch 30  step 180  loss 0.0") {
			t.Errorf("stage %d prints %q", k, &o.said)
		}
	}
	product := 1.0
	got := weights(t, "w.safetensors")
	for k, w := range got {
		if w != m.sessions[k].weight[0] {
			t.Errorf("weight %d is %v in the file, and %v in its stage", k, w, m.sessions[k].weight[0])
		}
		product *= float64(w)
	}
	if len(got) != 3 || product < 2.9 || product > 3.1 {
		t.Errorf("the weights %v multiply by %v, want 3", got, product)
	}
}

// TestResume ends a training when a stage that is not the last is asked to end, and resumes it: the weights have the bits of
// a training that was not interrupted.
func TestResume(t *testing.T) {
	const training = "-epochs 4 -batch 6 -lr 0.1 -checkpoint ck -o w.safetensors"
	whole := newCluster(t, 2)
	for k, o := range whole.train(t, newTrained(2), "", training) {
		if o.code != 0 {
			t.Fatalf("stage %d: %s", k, &o.error)
		}
	}
	want := weights(t, "w.safetensors")

	c, m := newCluster(t, 2), newTrained(2)
	t.Chdir(c.dir)
	ctx, ask := context.WithCancel(t.Context())
	defer ask()
	passes := 0
	m.sessions[0].delay = func() {
		if passes++; passes == 30 {
			ask()
		}
	}
	var last output
	var ended sync.WaitGroup
	ended.Go(func() { last.code = Do(&m.Model, c.args(1, "", training), &last.said, &last.error) })
	first := &config{m: &m.Model, training: []string{"-threads", "1"}}
	if err := first.parse(c.args(0, "", "")[:4]); err != nil {
		t.Fatal(err)
	}
	l, transport, err := first.place.connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if code, err := first.follow(ctx, l); code != 130 || err != nil {
		t.Errorf("the first stage ends with %d, %v", code, err)
	}
	ended.Wait()
	transport.Close()
	if last.code != 130 || !strings.Contains(last.said.String(), "go on with --checkpoint ck --resume") {
		t.Fatalf("exit code %d, it prints %s%s, want how to go on", last.code, &last.said, &last.error)
	}
	for k, o := range c.train(t, newTrained(2), "", training+" -resume") {
		if o.code != 0 {
			t.Fatalf("resumed, stage %d: %s", k, &o.error)
		}
	}
	if got := weights(t, "w.safetensors"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("resumed, the weights are %v, want %v", got, want)
	}
}

// TestDoFails: if the last stage cannot train, the others end with its reason. If they write to the same terminal, it is
// there once.
func TestDoFails(t *testing.T) {
	const ended = "the last stage has ended the training with an error"
	timeout := func(stage int) func(*scales) {
		return func(m *scales) { m.sessions[stage].fails = os.ErrDeadlineExceeded }
	}
	for _, c := range []struct {
		name, own, training string
		breaks              func(*scales)
		last, first         string // what the stages print
	}{
		{"no data", "", "-data nothing.csv", func(*scales) {}, "nothing.csv", ended},
		{"a step of the last", "", "-epochs 1", timeout(1), "stage 1 of 2: i/o timeout", ended},
		{"a step of the first", "", "-epochs 1", timeout(0), "stage 0 of 2: i/o timeout", "stage 0 of 2: i/o timeout"},
		{"on one terminal", "-events -", "-epochs 1", timeout(1), "stage 1 of 2: i/o timeout", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newTrained(2)
			c.breaks(m)
			outs := newCluster(t, 2).train(t, m, c.own, c.training)
			for k, want := range []string{c.first, c.last} {
				if o := outs[k]; o.code != 1 || !strings.Contains(o.error.String(), want) || want == "" && o.error.Len() > 0 {
					t.Errorf("stage %d: exit code %d, %q, want %q", k, o.code, &o.error, want)
				}
			}
		})
	}
}

// TestEvents: with -events - the output of the last stage is lines of JSON with its name, for the process that started all.
func TestEvents(t *testing.T) {
	outs := newCluster(t, 2).train(t, newTrained(2), "-events -", "-epochs 1 -batch 6")
	if outs[1].code != 0 || outs[1].said.Len() == 0 {
		t.Fatalf("exit code %d, %s", outs[1].code, &outs[1].error)
	}
	for line := range strings.Lines(outs[1].said.String()) {
		if !json.Valid([]byte(line)) || !strings.Contains(line, "stage-1") {
			t.Errorf("it prints %q, want JSON of stage-1", line)
		}
	}
}

// TestTrainingFlags: a wrong flag of the training ends each stage before it listens.
func TestTrainingFlags(t *testing.T) {
	c := newCluster(t, 2)
	var o output
	if code := Do(&newTrained(2).Model, c.args(0, "", "-eppochs 3"), &o.said, &o.error); code != 2 || !strings.Contains(o.error.String(), "eppochs") {
		t.Errorf("exit code %d, %q", code, &o.error)
	}
}
