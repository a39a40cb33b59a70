package run

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/cmd/cmdtest"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// scriptKey is the environment variable with what the programs of a test do, as commands of [play].
const scriptKey = "BBGEN_TEST_PEERS"

// TestMain is also the go command of the tests, and the peers that it builds.
func TestMain(m *testing.M) { cmdtest.Main(m, play) }

// play is a peer or a simulator: it obeys the commands of a script, one a line. NAME stands for the peer.
//
//	print TEXT        prints a line
//	args              prints an event with the command line as its value
//	npy NAME SIZE X   writes a vector of one number below the folder of -out
//	wait              waits until it is told to end
//	deaf              ignores that it is told to end
//	mortal DIR        waits until there is a file DIR/end; kills itself if there is one of its name
//	fail TEXT         writes to standard error, and ends with the exit code 1
func play(name string, args []string) int {
	class := filepath.Base(name)
	me := class + "-" + flagOf(args, "-rank")
	for line := range strings.Lines(os.Getenv(scriptKey)) {
		verb, text, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(line, "NAME", me)), " ")
		switch verb {
		case "print":
			fmt.Println(text)
		case "args":
			b, _ := json.Marshal(strings.Join(args, " "))
			fmt.Printf(`{"peer":%q,"kind":"emitted","name":"args","value":%s}`+"\n", me, b)
		case "npy":
			if err := writeVector(flagOf(args, "-out"), text); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		case "wait":
			told := make(chan os.Signal, 1)
			signal.Notify(told, os.Interrupt)
			<-told
		case "deaf":
			signal.Ignore(os.Interrupt)
			fmt.Printf(`{"peer":%q,"kind":"status","state":"running"}`+"\n", me)
			time.Sleep(time.Hour)
		case "mortal":
			for !exists(filepath.Join(text, "end")) {
				if exists(filepath.Join(text, me)) {
					self, _ := os.FindProcess(os.Getpid())
					self.Kill()
				}
				time.Sleep(10 * time.Millisecond)
			}
		case "fail":
			fmt.Fprintln(os.Stderr, text)
			return 1
		}
	}
	return 0
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func flagOf(args []string, name string) string {
	if i := slices.Index(args, name); i >= 0 && i+1 < len(args) {
		return args[i+1]
	}
	return ""
}

// writeVector writes the file that a text describes: its name, how many elements it has, and their value.
func writeVector(out, text string) error {
	var name string
	var size int
	var x float32
	if _, err := fmt.Sscan(text, &name, &size, &x); err != nil {
		return err
	}
	b, err := tensorio.AppendNPY(nil, tensor.Of(slices.Repeat([]float32{x}, size), size))
	if err != nil {
		return err
	}
	file := filepath.Join(out, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, b, 0o666)
}

// newPeers makes the folder peer of a program with a server, clients and a simulator, in a working folder of its own. The
// script is what they do.
func newPeers(t *testing.T, script string) (calls func() []string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, class := range []string{"client", "server", simName} {
		if err := os.MkdirAll(filepath.Join("peer", class), 0o777); err != nil {
			t.Fatal(err)
		}
		cmdtest.File(t, filepath.Join("peer", class), "main.go", "package main\n")
	}
	t.Setenv(scriptKey, script)
	return cmdtest.Toolchain(t, "")
}

// records reads the file of --json.
func records(t *testing.T, file string) (list []map[string]any) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(bytes.NewReader(b)); ; {
		var r map[string]any
		if err := d.Decode(&r); err == io.EOF {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
}

const simulated = `
print {"time":0.5,"class":"server","rank":0,"event":"started"}
print {"time":1,"class":"server","rank":0,"module":"server","name":"accuracy","round":3,"value":[0.75],"type":"float32"}
print {"time":2.5,"hash":"5eed","steps":9,"done":true,"unanswered":0}
`

// TestSimulation: the simulator is built and gets all flags that are for it; its lines become the summary and the records
// of --json.
func TestSimulation(t *testing.T) {
	calls := newPeers(t, simulated)
	if err := os.Mkdir("data", 0o777); err != nil {
		t.Fatal(err)
	}
	input := cmdtest.File(t, ".", "x.npy", "")
	out, _, err := cmdtest.Run(t, Command(), "peer", "--sim", "-n", "client=2", "--seed", "7", "--data", "data", "--in", "client.x="+input, "--for", "1m", "--out", "results", "--chaos", "loss=5%", "--json", "run.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if want := "done after 2.5 s: 3 peers, server.accuracy 0.75, run 5eed\n"; out != want {
		t.Errorf("it prints %q, want %q", out, want)
	}
	if list := calls(); len(list) != 1 || !strings.HasSuffix(list[0], " ./sim") {
		t.Errorf("the go command was called %q, want one build of the simulator", list)
	}
	list := records(t, "run.jsonl")
	last := list[len(list)-1]
	if len(list) != 3 || list[1]["kind"] != "emitted" || list[1]["name"] != "server.accuracy" || last["kind"] != "end" || last["run"] != "5eed" || last["done"] != true {
		t.Errorf("the records are %v", list)
	}
}

// TestSimulationArgs shows what of the command line the simulator is given.
func TestSimulationArgs(t *testing.T) {
	newPeers(t, "")
	input := cmdtest.File(t, ".", "x.npy", "")
	j := &job{dir: "peer", counts: "client=2", seed: 7, sim: true, given: []string{"client.x=" + input}, limit: 1e9, out: "results"}
	if err := j.chaos.Set("loss=5%"); err != nil {
		t.Fatal(err)
	}
	if err := j.check(); err != nil {
		t.Fatal(err)
	}
	file, err := filepath.Abs(input)
	if err != nil {
		t.Fatal(err)
	}
	want := "-n client=2,server=1 -seed 7 -for 1s -in client.x=" + file + " -out results -chaos loss=0.05"
	if got := strings.Join(j.simArgs(), " "); got != want {
		t.Errorf("the simulator gets %q, want %q", got, want)
	}
}

// TestSimulationFails shows what ends a simulation with an error.
func TestSimulationFails(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"exit code":  {"fail no data\n", "the simulation failed (exit status 1): no data"},
		"no JSON":    {"print hello\n", `the simulation wrote "hello"`},
		"unanswered": {`print {"time":1,"steps":2,"unanswered":3}`, "inputs have no answer: 3"},
		"rounds": {"print " + `{"time":1,"class":"server","rank":0,"event":"published","module":"server.rounds","name":"begun"}` + "\n" +
			`print {"time":1,"steps":2}`, "rounds have not come to their end"},
	} {
		t.Run(name, func(t *testing.T) {
			newPeers(t, c.script)
			_, _, err := cmdtest.Run(t, Command(), "peer", "--sim")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %q", err, c.want)
			}
		})
	}
}

// TestLongLine: a line of a simulator is limited.
func TestLongLine(t *testing.T) {
	w := &watch{board: newBoard(nil)}
	err := w.lines(bufio.NewScanner(strings.NewReader(strings.Repeat("x", 1<<20))))
	if want := "a line of more than 1 MiB"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the error is %v, want %q", err, want)
	}
}

// TestProcesses: all peers are built at once; each gets its inputs and the flags that all have in common, and its events
// become records and the summary.
func TestProcesses(t *testing.T) {
	calls := newPeers(t, `args
print {"peer":"NAME","kind":"emitted","name":"loss","value":0.5}
print {"peer":"NAME","kind":"ended"}
`)
	inputs := []string{cmdtest.File(t, ".", "a.npy", ""), cmdtest.File(t, ".", "b.npy", ""), cmdtest.File(t, ".", "c.npy", "")}
	args := []string{"peer", "-n", "client=2", "--json", "-", "--out", "results", "--host", "tcp", "--otlp", "http://localhost:4318"}
	for _, f := range inputs {
		args = append(args, "--in", "client.x="+f)
	}
	out, _, err := cmdtest.Run(t, Command(), args...)
	if err != nil {
		t.Fatal(err)
	}
	if list := calls(); len(list) != 1 || !strings.HasSuffix(list[0], " ./client ./server") {
		t.Errorf("the go command was called %q, want one build of both classes", list)
	}
	given := map[string]string{}
	var last map[string]any
	for d := json.NewDecoder(strings.NewReader(out)); d.More(); {
		var r map[string]any
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		if r["name"] == "args" {
			given[r["peer"].(string)] = r["value"].(string)
		}
		last = r
	}
	for peer, want := range map[string][]string{
		"client-0": {"a.npy", "c.npy", "-rank 0", "results/client-0"}, "client-1": {"b.npy", "-rank 1", "results/client-1"}, "server-0": {"-host tcp", "-otlp http://localhost:4318", "-grace 2s"},
	} {
		for _, text := range want {
			if !strings.Contains(filepath.ToSlash(given[peer]), text) {
				t.Errorf("%s gets %q, want %q in it", peer, given[peer], text)
			}
		}
		for _, f := range inputs {
			if own := slices.Contains(want, filepath.Base(f)); own != strings.Contains(given[peer], f) {
				t.Errorf("%s gets %q: %s is its input: %v", peer, given[peer], f, own)
			}
		}
	}
	if last["kind"] != "end" || last["peers"] != 3.0 {
		t.Errorf("the last record is %v", last)
	}
}

// TestPeerFails: a peer that fails ends the run with its message, and the others are told to end.
func TestPeerFails(t *testing.T) {
	newPeers(t, "fail no such port")
	_, _, err := cmdtest.Run(t, Command(), "peer", "-n", "client=2", "-v", "--json", "run.jsonl")
	if want := "no such port"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the error is %v, want %q in it", err, want)
	}
	list := records(t, "run.jsonl")
	if last := list[len(list)-1]; err != nil && (last["kind"] != "end" || last["error"] != err.Error() || last["done"] != false) {
		t.Errorf("the last record is %v, want an end with the error", last)
	}
}

// TestFor: after the time of --for, peers that have no end are told to end, and that is no failure.
func TestFor(t *testing.T) {
	newPeers(t, `print {"peer":"NAME","kind":"started","state":"running","in":1,"out":2}
wait
`)
	out, _, err := cmdtest.Run(t, Command(), "peer", "--for", "50ms")
	if err != nil || !strings.HasPrefix(out, "stopped after ") {
		t.Errorf("got %q, %v", out, err)
	}
}

// TestForUnmet: peers that have not reached each other when the time of --for is over are an error, and the last record is
// written all the same.
func TestForUnmet(t *testing.T) {
	newPeers(t, `print {"peer":"NAME","kind":"started","state":"starting","missing":["other-0"],"apart":["other-0: refused"]}
wait
`)
	for limit := 50 * time.Millisecond; ; limit *= 2 { // until processes have begun on a busy machine
		_, _, err := cmdtest.Run(t, Command(), "peer", "--for", limit.String(), "--json", "run.jsonl")
		list := records(t, "run.jsonl")
		if n := len(list); n == 0 || list[n-1]["kind"] != "end" {
			t.Fatalf("the records are %v, want an end", list)
		}
		if err == nil && limit < time.Minute {
			continue
		}
		if want := "client-0 waits for other-0 (other-0: refused)"; err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("the error is %v, want %q in it", err, want)
		}
		return
	}
}

// TestSecondInterrupt: the second Ctrl-C kills peers that do not end.
func TestSecondInterrupt(t *testing.T) {
	newPeers(t, "deaf")
	before := patience
	patience = time.Hour
	defer func() { patience = before }()
	j := &job{dir: "peer"}
	if err := j.check(); err != nil {
		t.Fatal(err)
	}
	follow, err := j.processes(t.TempDir(), cli.NewProgress(io.Discard, false, true))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	w := &watch{board: newBoard(j.classes), screen: newScreen(io.Discard, false), apart: complaint{w: io.Discard}}
	again := make(chan os.Signal, 1)
	cancel() // the first
	again <- os.Interrupt
	var ended cli.Failed
	if err := follow(ctx, again, w); !errors.As(err, &ended) || ended.Code != 130 {
		t.Errorf("the error is %v, want the exit code 130", err)
	}
}

// TestHosts: a network that the peers were not generated with is refused, and the only one that they have is no choice.
func TestHosts(t *testing.T) {
	const one = "package main\n\nvar x = y{\n\tTransport: tcp.New,\n}\n"
	const two = "package main\n\nvar x = y{\n\tTransport:   libp2p.New,\n\tHosts:       peer.Hosts{\"libp2p\": libp2p.New, \"tcp\": tcp.New},\n}\n"
	for _, c := range []struct{ main, host, given, err string }{
		{"package main\n", "zzz", "zzz", ""}, // not bbgen's: the peer says it
		{one, "tcp", "", ""},
		{one, "zzz", "", "--host zzz: the peers in peer were generated with tcp"},
		{two, "libp2p", "libp2p", ""},
		{two, "tcp", "tcp", ""},
		{two, "nats", "", "--host nats: the peers in peer were generated with libp2p, tcp"},
	} {
		newPeers(t, "")
		cmdtest.File(t, filepath.Join("peer", "client"), "main.go", c.main)
		j := &job{dir: "peer", host: c.host}
		err := j.check()
		if c.err != "" && (err == nil || err.Error() != c.err) || c.err == "" && (err != nil || j.host != c.given) {
			t.Errorf("--host %s: got %q, %v, want %q, %s", c.host, j.host, err, c.given, c.err)
		}
	}
}

// TestOutInUse tests that files of an earlier run in the output folder are mentioned.
func TestOutInUse(t *testing.T) {
	newPeers(t, `npy server-0/model-1.npy 2 1
print {"time":1,"steps":1}
`)
	const note = "--out out is not empty: files in it that this run does not write remain\n"
	for i, want := range []bool{false, true} {
		_, messages, err := cmdtest.Run(t, Command(), "peer", "--sim", "--out", "out")
		if err != nil || strings.Contains(messages, note) != want {
			t.Errorf("run %d: %q, %v; want the note: %v", i, messages, err, want)
		}
	}
}

// TestBuildFails: the errors of the go command are shown, and nothing is started.
func TestBuildFails(t *testing.T) {
	newPeers(t, "")
	cmdtest.Toolchain(t, "main.go:1: broken")
	for _, args := range [][]string{{"peer"}, {"peer", "--sim"}} {
		if _, _, err := cmdtest.Run(t, Command(), args...); err == nil || !strings.Contains(err.Error(), "main.go:1: broken") {
			t.Errorf("%q: the error is %v, want that of the go command", args, err)
		}
	}
}

// TestLearned: --model writes the output that is as large as a model of the program, of the last round or of the best
// one.
func TestLearned(t *testing.T) {
	script := `npy server-0/model-1.npy 2 1
npy server-0/model-2.npy 2 3
npy server-0/loss-1.npy 1 0.25
npy server-0/loss-2.npy 1 0.5
npy server-0/short-2.npy 5 0
print {"time":1,"steps":1}
`
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"last":    {nil, "model of server-0, execution 2"},
		"named":   {[]string{"--model-output", "server.model"}, "model of server-0, execution 2"},
		"least":   {[]string{"--best", "loss:min"}, "model of server-0, execution 1"},
		"largest": {[]string{"--best", "loss"}, "model of server-0, execution 2"},
	} {
		t.Run(name, func(t *testing.T) {
			newPeers(t, script)
			cmdtest.Model(t, ".", "scale.onnx", "module \"scale\"\nopset 21\nfunc @main(%x: float32[2]) -> (%y) {\n  const %w: float32[2] = [7, 7]\n  %y = Mul(%x, %w) : ?\n}\n")
			cmdtest.File(t, "peer", "models.json", `{"models": [{"file": "../scale.onnx", "weights": [{"name": "w", "shape": [2]}]}], "outputs": {"client": ["model"], "server": ["accuracy", "loss", "model", "short"]}}`)
			out, _, err := cmdtest.Run(t, Command(), append(c.args, "peer", "--sim", "--model", "new.onnx")...)
			if err != nil || !strings.HasSuffix(out, "wrote new.onnx: "+c.want+"\n") {
				t.Fatalf("got %q, %v, want %q", out, err, c.want)
			}
		})
	}
	for want, args := range map[string][]string{
		"no such output is as large as a model":     {"--model-output", "client.model"},
		"server-0 gives no accuracy with its model": {"--best", "accuracy"},
		"want one float32":                          {"--best", "short:min"},
	} {
		newPeers(t, script)
		cmdtest.File(t, "peer", "models.json", `{"models": [{"file": "../scale.onnx", "weights": [{"name": "w", "shape": [2]}]}], "outputs": {"client": ["model"], "server": ["accuracy", "loss", "model", "short"]}}`)
		if _, _, err := cmdtest.Run(t, Command(), append(args, "peer", "--sim", "--model", "new.onnx")...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: the error is %v, want %q", args, err, want)
		}
	}
}

// TestLearnedEarly: a run whose rounds do not come to their end writes the model of those that did, or says that it does
// not.
func TestLearnedEarly(t *testing.T) {
	const end = `print {"time":1,"class":"server","rank":0,"event":"published","module":"server","name":"begun"}
print {"time":1,"steps":1}
`
	for name, c := range map[string]struct{ script, want string }{
		"written":     {"npy server-0/model-2.npy 2 3\n" + end, ""},
		"not written": {end, "new.onnx is not written: --model: no peer has given its host an output"},
	} {
		t.Run(name, func(t *testing.T) {
			newPeers(t, c.script)
			cmdtest.Model(t, ".", "scale.onnx", "module \"scale\"\nopset 21\nfunc @main(%x: float32[2]) -> (%y) {\n  const %w: float32[2] = [7, 7]\n  %y = Mul(%x, %w) : ?\n}\n")
			cmdtest.File(t, "peer", "models.json", `{"models": [{"file": "../scale.onnx", "weights": [{"name": "w", "shape": [2]}]}], "outputs": {"server": ["model"]}}`)
			out, _, err := cmdtest.Run(t, Command(), "peer", "--sim", "--model", "new.onnx")
			if err == nil || !strings.Contains(err.Error(), "rounds have not come to their end") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %q", err, c.want)
			}
			if got := strings.Contains(out, "wrote new.onnx"); got != (c.want == "") || got != exists("new.onnx") {
				t.Errorf("it prints %q, and writes the model: %v", out, exists("new.onnx"))
			}
		})
	}
}

// TestOutputsExist: outputs that a program does not have are refused before anything is built.
func TestOutputsExist(t *testing.T) {
	calls := newPeers(t, "")
	cmdtest.File(t, "peer", "models.json", `{"models": [], "outputs": {"server": ["accuracy", "model"]}}`)
	cmdtest.Refuse(t, Command,
		cmdtest.Refusal{Args: []string{"peer", "--model", "m.onnx", "--best", "accurate"}, Want: `--best accurate: there is no output "accurate"; there are: accuracy, model`, Usage: true},
		cmdtest.Refusal{Args: []string{"peer", "--model", "m.onnx", "--best", "accuracy:least"}, Want: `--best accuracy:least: the best one is "least", want min or max`, Usage: true},
		cmdtest.Refusal{Args: []string{"peer", "--model", "m.onnx", "--model-output", "worker.model"}, Want: `--model-output worker.model: there is no class "worker"`, Usage: true},
		cmdtest.Refusal{Args: []string{"peer", "--model", "m.onnx", "--model-output", "server.weights"}, Want: `--model-output server.weights: there is no output "weights"; there are: accuracy, model`, Usage: true},
	)
	if list := calls(); len(list) != 1 || list[0] != "" {
		t.Errorf("the go command was called %q", list)
	}
	cmdtest.File(t, "peer", "models.json", "{")
	if _, _, err := cmdtest.Run(t, Command(), "peer", "--model", "m.onnx", "--best", "accuracy"); err == nil || !strings.Contains(err.Error(), "models.json: unexpected end") {
		t.Errorf("the error is %v, want one of models.json", err)
	}
}

// TestRefuses shows command lines that are refused before anything is built.
func TestRefuses(t *testing.T) {
	calls := newPeers(t, "")
	if err := os.Mkdir("empty", 0o777); err != nil {
		t.Fatal(err)
	}
	file := cmdtest.File(t, ".", "file", "")
	cmdtest.Refuse(t, Command,
		cmdtest.Refusal{Args: []string{"none"}, Want: "none: there is no such folder"},
		cmdtest.Refusal{Args: []string{file}, Want: "is a file, want the folder with the peers"},
		cmdtest.Refusal{Args: []string{"empty"}, Want: "empty: found no peers, want CLASS/main.go"},
		cmdtest.Refusal{Args: []string{"peer", "-n", "worker=2"}, Want: `there is no class "worker" in peer; there are: client, server`, Usage: true},
		cmdtest.Refusal{Args: []string{"peer", "-n", "client=2000"}, Want: "2001 peers are too many processes, want at most 1024; --sim runs more", Usage: true},
		cmdtest.Refusal{Args: []string{"peer", "--sim", "--host", "tcp"}, Want: "with --sim the network is simulated", Usage: true},
		cmdtest.Refusal{Args: []string{"peer", "--sim", "--otlp", "http://localhost:1"}, Want: "no traces are sent", Usage: true},
		cmdtest.Refusal{Args: []string{"peer", "--otlp", "zzz"}, Want: `--otlp: "zzz": want a URL such as http://localhost:4318`, Usage: true},
		cmdtest.Refusal{Args: []string{"peer", "--chaos", "faults=3"}, Want: "add --sim", Usage: true},
		cmdtest.Refusal{Args: []string{"peer", "--in", "x"}, Want: "want CLASS.NAME=FILE", Usage: true},
		cmdtest.Refusal{Args: []string{"peer", "--in", "worker.x=" + file}, Want: `there is no class "worker"`, Usage: true},
		cmdtest.Refusal{Args: []string{"peer", "--in", "client.x=sub/none"}, Want: "--in client.x=sub/none: no such file or directory", Usage: true},
		cmdtest.Refusal{Args: []string{"peer", "--in", "client.x=" + file, "--chaos", "kill=5%"}, Want: "a peer that is killed forgets what it was given", Usage: true},
		cmdtest.Refusal{Args: []string{"peer", "--best", "loss"}, Want: "give --model FILE, too", Usage: true},
		cmdtest.Refusal{Args: []string{"peer", "--model", "m.onnx", "--model-output", "model"}, Want: "want CLASS.NAME, as in server.model", Usage: true},
		cmdtest.Refusal{Args: []string{"peer", "--for", "-1s"}, Want: "want a time above 0", Usage: true},
		cmdtest.Refusal{Args: []string{"peer", "--data", "none"}, Want: "--data none: there is no such folder"},
	)
	if list := calls(); len(list) != 1 || list[0] != "" {
		t.Errorf("the go command was called %q", list)
	}
}
