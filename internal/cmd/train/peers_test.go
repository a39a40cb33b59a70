package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/dsl/nn"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/digits"
	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/host/dataparallel"
	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// digitsIn writes 640 digits for training and 100 that are held back.
func digitsIn(t *testing.T) (dir string) { return digitsAs(t, func([]byte) {}) }

// digitsAs is digitsIn with a change of each row of the images that are held back.
func digitsAs(t *testing.T, change func(row []byte)) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for i, part := range []string{"train", "t10k"} {
		images, labels := digits.Render(uint64(i+1), []int{640, 100}[i])
		if part == "t10k" {
			for row := range slices.Chunk(images, 28) {
				change(row)
			}
		}
		for name, x := range map[string]*tensor.Tensor{
			"-images-idx3-ubyte": tensor.Of(images, len(labels), 28, 28),
			"-labels-idx1-ubyte": tensor.Of(labels, len(labels)),
		} {
			b, err := dataset.AppendIDX(nil, x)
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, part+name), b, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

const lenet = "../../../examples/train/lenet.onnx"

// trained trains a network for digits in dir. It returns the output, with DIR in place of dir.
func trained(t *testing.T, j *job, data, dir string, args ...string) string {
	t.Helper()
	return trainedOf(t, lenet, j, data, dir, args...)
}

// trainedOf is trained for another model.
func trainedOf(t *testing.T, model string, j *job, data, dir string, args ...string) string {
	t.Helper()
	out, errs, err := tried(t, model, j, data, dir, args...)
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	return strings.ReplaceAll(out, dir, "DIR")
}

// tried trains, and returns what is written to standard output and standard error.
func tried(t *testing.T, model string, j *job, data, dir string, args ...string) (out, errs string, err error) {
	cmd := j.command()
	cmd.SetArgs(append([]string{model, "--data", data, "--checkpoint", filepath.Join(dir, "ck"),
		"--metrics", filepath.Join(dir, "metrics"), "-o", filepath.Join(dir, "trained.onnx")}, args...))
	var o, e bytes.Buffer
	cmd.SetOut(&o)
	cmd.SetErr(&e)
	err = cmd.ExecuteContext(t.Context())
	return o.String(), e.String(), err
}

// metric is the compared part of a line of metrics.
type metric struct {
	Step    int     `json:"step"`
	Loss    float64 `json:"loss"`
	Rate    float64 `json:"lr"`
	ValLoss float64 `json:"val_loss"`
}

func metricsIn(t *testing.T, dir string) (out []metric) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "metrics"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		var m metric
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

func weightsIn(t *testing.T, dir string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "trained.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestPeers trains with one process and with three, for a few optimizers and with all options for gradients.
// The losses agree to 1e-5, and two trainings with three processes have the same bits.
func TestPeers(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs and trains with them")
	}
	data := digitsIn(t)
	for _, how := range [][]string{
		{"--optimizer", "adamw", "--lr", "0.002", "--schedule", "cosine,warmup=3"},
		{"--optimizer", "momentum", "--lr", "0.05", "--clip-norm", "0.5", "--accumulate", "2", "--average", "0.9", "--augment", "shift=2"},
	} {
		how = append(how, "--steps", "16", "--batch", "48", "--eval-every", "6")
		alone := t.TempDir()
		said := trained(t, new(job), data, alone, how...)
		want := metricsIn(t, alone)
		var first string
		for _, threads := range []string{"1", "2"} {
			dir := t.TempDir()
			if got := trained(t, new(job), data, dir, append(how, "--peers", "3", "--threads", threads)...); got != said {
				t.Errorf("three say\n%swant\n%s", got, said)
			}
			got := metricsIn(t, dir)
			if len(got) != len(want) {
				t.Fatalf("%d lines of metrics, want %d", len(got), len(want))
			}
			for i, w := range want {
				if g := got[i]; g.Step != w.Step || g.Rate != w.Rate || math.Abs(g.Loss-w.Loss) > 1e-5 || math.Abs(g.ValLoss-w.ValLoss) > 1e-5 {
					t.Errorf("%v: got %+v, want %+v", how, g, w)
				}
			}
			if m := weightsIn(t, dir); first == "" {
				first = m
			} else if m != first {
				t.Errorf("%v: two trainings of three differ", how)
			}
		}
	}
}

// TestPeersLarge trains a network with five megabytes of gradients, which are sent in several parts. The
// results are those of one process, up to rounding, and the same in a second run.
func TestPeersLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs and trains with them")
	}
	net := nn.Sequential{nn.Flatten, &nn.Linear{In: 784, Out: 900}, nn.ReLU, &nn.Linear{In: 900, Out: 600}, nn.ReLU, &nn.Linear{In: 600, Out: 10}}
	b, err := nn.Export(net, dsl.Float32("batch", 1, 28, 28), nn.Options{Name: "large", Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(t.TempDir(), "large.onnx")
	if err := os.WriteFile(large, b, 0o666); err != nil {
		t.Fatal(err)
	}
	data := digitsIn(t)
	how := []string{"--lr", "0.001", "--steps", "5", "--batch", "24", "--eval-every", "5"}
	alone := t.TempDir()
	trainedOf(t, large, new(job), data, alone, how...)
	want := metricsIn(t, alone)
	var models []string
	for _, threads := range []string{"1", "2"} {
		dir := t.TempDir()
		trainedOf(t, large, new(job), data, dir, append(how, "--peers", "2", "--threads", threads)...)
		for i, g := range metricsIn(t, dir) {
			if math.Abs(g.Loss-want[i].Loss) > 1e-5 {
				t.Errorf("step %d: the loss is %v, want %v", g.Step, g.Loss, want[i].Loss)
			}
		}
		models = append(models, weightsIn(t, dir))
	}
	if models[0] != models[1] {
		t.Error("two trainings of two differ")
	}
}

// TestPeersCodec trains with gradients in fewer bits: the network learns, and two trainings have the same
// bits.
func TestPeersCodec(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs and trains with them")
	}
	data := digitsIn(t)
	models := map[string]string{}
	for _, codec := range []string{"bfloat16", "int8", "int8"} {
		dir := t.TempDir()
		trained(t, new(job), data, dir, "--lr", "0.002", "--steps", "60", "--batch", "48", "--eval-every", "60", "--peers", "3", "--codec", codec)
		all := metricsIn(t, dir)
		if loss := all[len(all)-1].ValLoss; !(loss > 0 && loss < 0.7) { // it begins at 2.3, and is 0.4 with exact gradients
			t.Errorf("%s: the loss is %v in the end", codec, loss)
		}
		now := weightsIn(t, dir)
		if have := models[codec]; have != "" && have != now {
			t.Errorf("%s: two trainings of three differ", codec)
		}
		models[codec] = now
	}
	if models["int8"] == models["bfloat16"] {
		t.Error("the codec makes no difference")
	}
}

// TestPeersLoss kills two of five processes, one of them the leader: the others continue to the end, and
// report that.
func TestPeersLoss(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program and trains with it")
	}
	dir := t.TempDir()
	killed := make(chan error, 1)
	j := &job{launched: func(f *launch.Fleet) {
		go func() {
			for _, c := range []struct{ step, victim int }{{10, 0}, {30, 3}} {
				awaitStep(filepath.Join(dir, "metrics"), c.step)
				if err := f.Kill(c.victim); err != nil {
					killed <- err
				}
			}
			close(killed)
		}()
	}}
	said := trained(t, j, digitsIn(t), dir, "--lr", "0.002", "--steps", "400", "--eval-every", "100", "--batch", "40", "--peers", "5")
	if err := <-killed; err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{": lost peer 0; 4 go on\n", ": lost peer 3; 3 go on\n", "  step 400  loss 0.0"} {
		if strings.Count(said, want) != 1 {
			t.Errorf("they say\n%s\nwant once %q", said, want)
		}
	}
	steps := map[int]int{}
	for _, m := range metricsIn(t, dir) {
		if m.Loss != 0 {
			steps[m.Step]++
		}
	}
	for step := 1; step <= 400; step++ {
		if steps[step] != 1 {
			t.Errorf("step %d stands in the metrics %d times, want once", step, steps[step])
		}
	}
}

// TestPeersNeeded: if a process fails before all have begun, those that wait for it, or go on without it, are ended, and the training
// ends with its exit code. Later, the others continue.
func TestPeersNeeded(t *testing.T) {
	before := lastWords
	defer func() { lastWords = before }()
	const fails = `case "$*" in *"-rank 1 "*) exit 3;; esac; `
	const begins = `echo "{\"kind\":\"begun\",\"peer\":\"$$\"}"; `
	for script, want := range map[string]int{fails + "exec sleep 600": 3, begins + fails + "exit 0": 0, fails + begins + "exec sleep 600": 3} {
		bin := filepath.Join(t.TempDir(), "bin")
		if err := os.WriteFile(bin, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if lastWords = 0; want == 0 { // the one that fails may do so before others say that they have begun
			lastWords = time.Hour
		}
		cmd := &cobra.Command{}
		cmd.SetErr(io.Discard)
		err := (&job{cmd: cmd, peers: peers{count: 3}}).runTogether(bin, t.TempDir(), nil)
		if code := failedWith(err); code != want {
			t.Errorf("%s: got %v with code %d, want %d", script, err, code, want)
		}
	}
}

// failedWith returns the exit code of an error, or 0.
func failedWith(err error) int {
	f, _ := errors.AsType[cli.Failed](err)
	return f.Code
}

// TestPeersBegin: what only one process finds, or finds when all are connected, is an error of the training, which none
// continues.
func TestPeersBegin(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program and trains with it")
	}
	dir, data := t.TempDir(), digitsIn(t)
	const want = "there is no checkpoint "
	out, errs, err := tried(t, lenet, &job{}, data, dir, "--resume", "--steps", "100000", "--peers", "3")
	if failedWith(err) != 1 || strings.Count(errs, want) != 1 || strings.Contains(out, "; 2 go on") {
		t.Errorf("%v, they say\n%s%s\nwant once %q", err, out, errs, want)
	}
}

// TestPeersReturn kills the leader and starts it again: it gets the state of the others, and continues with
// them to the end.
func TestPeersReturn(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program and trains with it")
	}
	dir := t.TempDir()
	failed := make(chan error, 2)
	metrics := filepath.Join(dir, "metrics")
	j := &job{launched: func(f *launch.Fleet) {
		go func() {
			defer close(failed)
			awaitStep(metrics, 20)
			failed <- f.Kill(0)
			awaitStep(metrics, 40)
			failed <- f.Restart(0)
		}()
	}}
	said := trained(t, j, digitsIn(t), dir, "--lr", "0.002", "--steps", "800", "--eval-every", "800", "--batch", "40", "--peers", "3")
	for err := range failed {
		if err != nil {
			t.Error(err)
		}
	}
	for _, want := range []string{": lost peer 0; 2 go on\n", ": peer 0 joins; 3 go on\n", "  step 800  loss 0."} {
		if strings.Count(said, want) != 1 {
			t.Errorf("they say\n%s\nwant once %q", said, want)
		}
	}
}

// TestPeersShard divides the optimizer's state among three processes: the model and the
// checkpoint have the same bits as with the whole state in each, and they say what one keeps.
func TestPeersShard(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program and trains with it")
	}
	data, whole, dir := digitsIn(t), t.TempDir(), t.TempDir()
	how := []string{"--lr", "0.002", "--clip-norm", "0.5", "--accumulate", "2", "--steps", "12", "--batch", "48", "--eval-every", "6", "--peers", "3"}
	trained(t, new(job), data, whole, how...)
	said := trained(t, new(job), data, dir, append(how, "--shard-optimizer")...)
	for _, file := range []string{"trained.onnx", filepath.Join("ck", "checkpoint.safetensors")} {
		got, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		if want, err := os.ReadFile(filepath.Join(whole, file)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from that of processes with the whole state (%v)", file, err)
		}
	}
	var here, all int
	_, text, _ := strings.Cut(said, "optimizer's state: ")
	if n, err := fmt.Sscanf(text, "%d of %d bytes on this peer, in parts on 3", &here, &all); n != 2 || here < all/3-8 || here > all/3+8 { // two moments, and an element more or less
		t.Errorf("they say\n%s\nwant the bytes that a peer keeps (%v)", said, err)
	}
}

// TestPeersShardLoss kills a process that has a part of the optimizer's state, of which
// another one has a copy: the others go on to the end, and nothing is lost.
func TestPeersShardLoss(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program and trains with it")
	}
	dir := t.TempDir()
	killed := make(chan error, 1)
	j := &job{launched: func(f *launch.Fleet) {
		go func() {
			awaitStep(filepath.Join(dir, "metrics"), 10)
			killed <- f.Kill(1)
		}()
	}}
	said := trained(t, j, digitsIn(t), dir, "--lr", "0.002", "--steps", "120", "--eval-every", "60", "--batch", "30", "--peers", "3", "--shard-optimizer", "--shard-replicas", "1")
	if err := <-killed; err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{": lost peer 1; 2 go on\n", "  step 120  loss "} {
		if strings.Count(said, want) != 1 {
			t.Errorf("they say\n%s\nwant once %q", said, want)
		}
	}
	if strings.Contains(said, "begins anew") {
		t.Errorf("they say\n%s\nwant that nothing is lost", said)
	}
}

// TestPeersMachines trains with three commands that know each other by their keys, as on three machines. One
// writes the model, which is that of three processes.
func TestPeersMachines(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs and trains with them")
	}
	data, dir := digitsIn(t), t.TempDir()
	how := []string{"--lr", "0.002", "--steps", "6", "--batch", "30", "--eval-every", "3"}
	trained(t, new(job), data, dir, append(how, "--peers", "3")...)
	keys, roster := machines(t, 3)
	dirs := []string{t.TempDir(), t.TempDir(), t.TempDir()}
	said := make([]string, 3)
	var wg sync.WaitGroup
	for i := range dirs {
		wg.Go(func() {
			said[i] = trained(t, new(job), data, dirs[i], append(how, "--peers", roster, "--key", keys[i])...)
		})
	}
	wg.Wait()
	if weightsIn(t, dirs[0]) != weightsIn(t, dir) {
		t.Error("the model is not that of three processes on one machine")
	}
	if !strings.Contains(said[0], "step 6  loss") || said[1]+said[2] != "" {
		t.Errorf("they say %q, want that the first speaks for all", said)
	}
}

// machines makes keys, and the file with the list of them.
func machines(t *testing.T, n int) (keys []string, roster string) {
	t.Helper()
	dir := t.TempDir()
	var list []peer.Member
	ip := launch.Loopback()
	for i := range n {
		file := filepath.Join(dir, fmt.Sprintf("key%d.pem", i))
		key, err := peer.NewKey(file)
		if err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("tcp", net.JoinHostPort(ip, "0")) // to find a free port
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		address := wire.Address(fmt.Sprintf("/ip4/%s/tcp/%d", ip, l.Addr().(*net.TCPAddr).Port))
		keys = append(keys, file)
		list = append(list, peer.Member{ID: peer.IDOf(key), Class: "trainer", Rank: i, Addresses: []wire.Address{address}})
	}
	b, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	roster = filepath.Join(dir, "peers.json")
	if err := os.WriteFile(roster, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return keys, roster
}

// TestPeersFlags refuses meaningless flags.
func TestPeersFlags(t *testing.T) {
	keys, roster := machines(t, 2)
	other, _ := machines(t, 1)
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte(`[{"class": "worker"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, p := range map[string]peers{
		"--peers is 0, want a number of processes":        {given: "0"},
		"processes on one machine make keys of their own": {given: "2", key: keys[0]},
		"want a number of processes, or a file: open ":    {given: "many"},
		`is of class "worker" and has 0 addresses`:        {given: bad},
		"which of them is this machine? give --key FILE":  {given: roster},
		"no peer has the key of " + other[0]:              {given: roster, key: other[0]},
	} {
		p.flag, p.class = "peers", dataparallel.Class
		err := p.check("mean")
		if err == nil && !p.here {
			_, err = p.member()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if err := (&peers{flag: "peers", given: "2"}).check("sum"); err == nil || !strings.Contains(err.Error(), "--reduction sum does not go with --peers") {
		t.Errorf("got %v", err)
	}
}

// awaitStep waits until a file of metrics has a number of lines.
func awaitStep(file string, lines int) {
	for {
		if b, err := os.ReadFile(file); err == nil && bytes.Count(b, []byte("\n")) >= lines {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
