// Package run implements bbgen run, which runs a whole distributed program on this machine: its peers as
// processes, or all of them in one process in virtual time.
//
// run.go has the flags. processes.go and simulation.go are the two ways to run, with faults (chaos) and a
// broker. Both report events (event), from which the board is made: board.go, with a row for each peer. It
// is shown as a table (table), a page (page*) and lines of JSON (metrics). history.go and learned.go keep
// what peers tell their hosts.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/cmd/data"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/runtime/host/otlp"
)

// job is the state of the command.
type job struct {
	dir     string // folder of the peers' programs
	counts  string
	classes []class
	sim     bool
	data    string
	given   []string // values of --in
	inputs  []input
	out     string
	learned learned
	seed    uint64
	limit   time.Duration // 0: none
	chaos   chaosFlag
	host    string // network of the peers; "": the generated default
	json    string
	http    string // address of the page; "": none
	otlp    string // the URL of a collector of traces; "": as the environment says
	history bool
	verbose bool
}

// Command returns the command bbgen run.
func Command() *cobra.Command {
	j := &job{}
	cmd := &cobra.Command{
		Use:   "run DIR -n CLASS=COUNT,...",
		Short: "run all peers of a distributed program on this machine",
		Long: `Run builds the peers that "bbgen ./pkg -o DIR" wrote and starts them: as processes
that talk over the host's transport on this machine's loopback, with keys and
ports of their own, or with --sim all in one process, in virtual time, where the
same flags give the same run. A class that -n does not name has one peer; a peer of
several, such as client+server, is there if -n names it, and counts in each of them.

A terminal shows a table of the peers; a peer's round is how many it has come to. In
a pipe there is one line at the end, and --json writes what happens as JSON lines:
seconds, peer, kind, and what the kind has. A peer's event has the number of the execution that it belongs to as round.

The run ends when all loops of rounds of all peers are done, or all inputs where there are
no rounds, and no peer has anything left to do; when all peers have ended, after --for, or on
Ctrl-C, which lets all peers end in good order; a second Ctrl-C kills them. Rounds that can
no longer be done, because a block has failed, end it as well, and so do peers that wait only
for what nobody gives. The exit code is 1 if a peer has failed, if no round had its quorum, if
peers had not reached each other when the time of --for was over or, without --for, if rounds
have not come to their end or peers wait.

--chaos makes things go wrong, as --seed says. kill=P is how likely a peer is killed
(-9) in a round, or in ten seconds without one; it comes back after a second, from
its snapshot, and a class never loses all of its peers. Of the envelopes that peers
send loss=P are lost, duplicate=P come twice, corrupt=P break the channel, and
delay=TIME, or up to half as much more, is how long each takes. What has been lost is
noticed by the sender, which sends it again. With --sim, also at most faults=N
crashes, broken channels and partitions happen. All go together.`,
		Example: `  bbgen ./program -o peer && bbgen run peer -n client=8
  bbgen run peer -n server=1,client=8 --data mnist --json metrics.jsonl
  bbgen run peer -n client=8 --chaos kill=20%,loss=5%
  bbgen run peer --in stage0.x=batch.npy --out results
  bbgen run peer -n client=8 --model trained.onnx --best accuracy
  bbgen run peer -n client=100 --sim --seed 7 --chaos loss=5%,faults=3`,
		Args: cli.One("DIR", "the folder that bbgen wrote"),
	}
	f := cmd.Flags()
	f.StringVarP(&j.counts, "peers", "n", "", "the `numbers` of peers of each class, as in server=1,client=8")
	f.BoolVar(&j.sim, "sim", false, "run all peers in one process, in virtual time")
	f.StringVar(&j.data, "data", "", "the `folder` where all peers find their data, or digits: 20,000 rendered ones")
	f.StringArrayVar(&j.given, "in", nil, "what the host gives to the program: a tensor in a `file`, as in stage0.x=batch.npy, or peers, as in front.to=@worker-0; several times for several executions")
	f.StringVar(&j.out, "out", "", "the `folder` where peers write what the program gives to its host, each into a folder of its own, as NAME-NUMBER.npy, or .pb for what NumPy lacks")
	f.StringVar(&j.learned.model, "model", "", "write what was learned as an ONNX model to this `file`: the output that is as large as a model of the program, of the last round")
	f.StringVar(&j.learned.name, "model-output", "", "with --model: the `output` that it is, as in server.model")
	f.StringVar(&j.learned.best, "best", "", "with --model: of the round in which this `output` of the same peer was the largest, as in accuracy, or the smallest, as in loss:min")
	f.Uint64Var(&j.seed, "seed", 1, "all randomness follows from this `number`")
	f.DurationVar(&j.limit, "for", 0, "end after this `time`; with --sim it is virtual")
	f.Var(&j.chaos, "chaos", "the `harm` that is done, as in kill=20%,loss=5%,duplicate=1%,corrupt=1%,delay=10ms")
	f.StringVar(&j.host, "host", "", "the `network` that processes talk over, one of those that the peers were generated with: libp2p, tcp, nats, for which a broker is started")
	f.StringVar(&j.json, "json", "", "write what happens as JSON lines to this `file`; - is standard output")
	f.BoolVar(&j.history, "history", false, "print a table of the numbers that the program gives to its host, a line for each round, averaged over the peers of a class")
	f.StringVar(&j.http, "http", "", "serve a page that shows what happens at `ADDRESS`; a port alone is on loopback, and others need the token that is printed")
	f.StringVar(&j.otlp, "otlp", "", "have processes send a trace of each execution to the OpenTelemetry collector at `URL`, as in http://localhost:4318; the default is as OTEL_EXPORTER_OTLP_ENDPOINT says")
	f.BoolVarP(&j.verbose, "verbose", "v", false, "show the peers' logs instead of a table")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		j.dir = args[0]
		return j.run(cmd.OutOrStdout(), cmd.ErrOrStderr())
	}
	return cmd
}

// run checks the command line, builds, and runs until the end.
func (j *job) run(stdout, stderr io.Writer) error {
	if err := j.check(); err != nil {
		return err
	}
	if inUse(j.out) {
		fmt.Fprintf(stderr, "--out %s is not empty: files in it that this run does not write remain\n", j.out)
	}
	tmp, remove, err := project.TempDir("", "bbgen-run-*")
	if err != nil {
		return err
	}
	defer remove()
	if j.out == "" && j.learned.model != "" {
		j.out = filepath.Join(tmp, "out")
	}
	began := time.Now()
	m, err := openMetrics(j.json, stdout)
	if err != nil {
		return err
	}
	defer m.close()
	p := cli.NewProgress(stderr, j.verbose, false)
	w, err := j.newWatch(m, stdout, stderr)
	if err != nil {
		return err
	}
	begin := j.processes
	if j.sim {
		begin = j.simulation
	}
	follow, err := begin(tmp, p)
	p.Done()
	ctx, again, restore := cli.Interrupts() // before, Ctrl-C ends the build
	defer restore()
	if err == nil {
		err = follow(ctx, again, w)
	}
	w.page.close()
	w.screen.show(w.board)
	if err == nil {
		j.summarize(w, stdout)
		err = j.unfinished(ctx, w)
	}
	if err := m.end(w.board, err); err != nil {
		return err
	}
	if err != nil {
		return j.keepWhatThereIs(err, stdout, began)
	}
	return j.keepModel(stdout, began)
}

// newWatch returns what shows the run while it goes on: the board, and where that is seen.
func (j *job) newWatch(m *metrics, stdout, stderr io.Writer) (*watch, error) {
	w := &watch{board: newBoard(j.classes), metrics: m, screen: newScreen(stderr, j.verbose), apart: complaint{w: stderr}}
	w.board.patient = j.limit > 0
	if j.verbose {
		w.log = stderr
	}
	if j.history {
		w.board.history = newHistory()
	}
	return w, j.openPage(w, stdout, stderr)
}

// summarize prints the table of rounds, if it is wanted, and the result, unless these are lines of JSON.
func (j *job) summarize(w *watch, stdout io.Writer) {
	if j.json == "-" {
		return
	}
	if j.history {
		fmt.Fprint(stdout, w.board.history.table())
	}
	fmt.Fprintln(stdout, w.board.summary())
}

// unfinished returns an error if the program should have come to its end, and has not.
func (j *job) unfinished(ctx context.Context, w *watch) error {
	if ctx.Err() == nil && j.limit == 0 && w.board.loops.Begun() && !w.board.complete() {
		return errors.New("rounds have not come to their end")
	}
	if ctx.Err() == nil && j.limit == 0 && w.board.open > 0 {
		return fmt.Errorf("inputs have no answer: %d", w.board.open)
	}
	if list := w.board.unmet; len(list) > 0 {
		return fmt.Errorf("after %v, the time of --for, the program had not begun:\n%s", j.limit, strings.Join(list, "\n"))
	}
	if list := w.board.awaited(); ctx.Err() == nil && j.limit == 0 && !w.board.complete() && len(list) > 0 {
		return fmt.Errorf("the program waits for what nobody gives it: %s", list[0])
	}
	if text := w.board.fruitless(); text != "" {
		return errors.New(text)
	}
	return nil
}

// keepWhatThereIs writes the model of a run that has ended early, or adds to its error why there is none.
func (j *job) keepWhatThereIs(err error, stdout io.Writer, since time.Time) error {
	if kept := j.keepModel(stdout, since); kept != nil {
		return fmt.Errorf("%w\n%s is not written: %w", err, j.learned.model, kept)
	}
	return err
}

// inUse reports whether a folder exists and holds anything.
func inUse(dir string) bool {
	if dir == "" {
		return false
	}
	list, err := os.ReadDir(dir)
	return err == nil && len(list) > 0
}

// openPage serves the page, if requested, and prints its address.
func (j *job) openPage(w *watch, stdout, stderr io.Writer) (err error) {
	if j.http == "" {
		return nil
	}
	if w.page, err = openPage(j.http, titleOf(j.dir), w.board); err != nil {
		return err
	}
	if j.json == "-" {
		stdout = stderr
	}
	_, err = fmt.Fprintln(stdout, "watch it at "+w.page.server.URL)
	return err
}

// titleOf returns the last two elements of a folder's path: fedavg/peer for examples/fedavg/peer.
func titleOf(dir string) string {
	if whole, err := filepath.Abs(dir); err == nil {
		dir = whole
	}
	return filepath.ToSlash(filepath.Join(filepath.Base(filepath.Dir(dir)), filepath.Base(dir)))
}

// keepModel writes the requested ONNX model, and prints a description.
func (j *job) keepModel(stdout io.Writer, since time.Time) error {
	if j.learned.model == "" {
		return nil
	}
	what, err := j.learned.write(j.dir, j.out, since)
	if err == nil && j.json != "-" {
		fmt.Fprintf(stdout, "wrote %s: %s\n", j.learned.model, what)
	}
	return err
}

// check finds the classes, and checks the command line.
func (j *job) check() error {
	var err error
	if j.classes, err = findClasses(j.dir); err != nil {
		return err
	}
	if err := setCounts(j.dir, j.classes, j.counts); err != nil {
		return err
	}
	if j.sim && j.host != "" {
		return cli.Usagef("--host %s: with --sim the network is simulated", j.host)
	}
	if j.sim && j.otlp != "" {
		return cli.Usagef("--otlp %s: with --sim time is virtual, and no traces are sent", j.otlp)
	}
	if err := j.checkHost(); err != nil {
		return err
	}
	if _, err := otlp.Read(j.otlp, os.Getenv); err != nil && !j.sim {
		return cli.Usagef("-%v", err) // it begins with -otlp
	}
	if err := j.chaos.check(j.sim); err != nil {
		return err
	}
	if !j.sim && total(j.classes) > maxProcesses {
		return cli.Usagef("-n: %d peers are too many processes, want at most %d; --sim runs more", total(j.classes), maxProcesses)
	}
	if j.inputs, err = readInputs(j.given, j.classes); err != nil {
		return err
	}
	if j.inputs != nil && (j.chaos.Kill > 0 || j.chaos.Faults > 0) {
		return cli.Usagef("--in does not go with --chaos kill and faults: a peer that is killed forgets what it was given")
	}
	if err := j.learned.check(j.dir, j.classes); err != nil {
		return err
	}
	if j.limit < 0 {
		return cli.Usagef("--for %v: want a time above 0", j.limit)
	}
	if j.data == "" {
		return nil
	}
	if j.data, err = data.Find(j.data); err != nil {
		return err
	}
	if s, err := os.Stat(j.data); err != nil || !s.IsDir() {
		return fmt.Errorf("--data %s: there is no such folder", j.data)
	}
	j.data, err = filepath.Abs(j.data)
	return err
}

// watch receives all events.
type watch struct {
	board   *board
	metrics *metrics
	screen  *screen
	apart   complaint
	page    *page     // nil: none
	log     io.Writer // of peers; nil: nowhere
}

// event handles one event.
func (w *watch) event(e event) error {
	w.page.change(func() {
		w.board.event(e)
		w.page.take(e)
	})
	return w.metrics.event(e)
}
