package train

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/cmd/data"
	"github.com/bbgen/bbgen/internal/cmd/export"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/host/launch"
	host "github.com/bbgen/bbgen/runtime/host/train"
	"github.com/bbgen/bbgen/runtime/host/train/web"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

func names(m map[string]any) string { return strings.Join(slices.Sorted(maps.Keys(m)), ", ") }

// job is the state of the command: it builds a peer, runs it, and writes the weights into the model.
type job struct {
	cmd       *cobra.Command
	model     string
	out       string   // the trained model
	peer      string   // folder in which the peer is kept, or ""
	peers     peers    // the processes that share each batch
	stages    peers    // the processes that have a stage of the model each
	micros    int      // the parts in which a batch flows through stages; 0 is the default
	key       string   // this machine's key, if a group is on several
	bandwidth cli.Rate // between stages; 0 is the default
	data      string
	how       how
	passed    []string // names of flags that are passed to the peer
	find      bool     // no training, but a test of learning rates or a cross-validation
	quiet     bool
	progress  *cli.Progress
	columns   []string            // the features that the evaluated model has learned, if known
	lossNote  map[string]string   // the loss, as metadata of the written model
	launched  func(*launch.Fleet) // for tests: called with the processes of a joint run
}

// addPeerFlags declares the flags of the peer, except those that this command sets itself.
func (j *job) addPeerFlags() {
	own := []string{"o", "q", "data", "until-eof", "eval", "json"}
	j.addFlags(func(name string) bool { return !slices.Contains(own, name) })
	j.cmd.Flags().StringVar(&j.data, "data", "", "the `folder or file` to learn from, or digits: 20,000 rendered ones")
}

// addFlags declares the peer's flags for which wanted returns true.
func (j *job) addFlags(wanted func(name string) bool) {
	host.Flags(model.TrainProgram{Name: "MODEL"}, &web.Page{}).VisitAll(func(f *flag.Flag) {
		if wanted(f.Name) {
			j.cmd.Flags().AddGoFlag(f)
			j.passed = append(j.passed, f.Name)
		}
	})
	j.cmd.Flags().Lookup("format").Usage += "; or parquet or arrow, which bbgen reads for it"
}

// checkOutputs returns an error if an output would overwrite the data or the model. Only -o may overwrite the
// model.
func (j *job) checkOutputs() error {
	err := errors.Join(cli.CheckOutput("-o", j.out, j.data), cli.CheckBinary("--peer", j.peer, j.model, j.data))
	for _, name := range []string{"best", "metrics"} {
		err = errors.Join(err, cli.CheckOutput("--"+name, j.cmd.Flags().Lookup(name).Value.String(), j.model, j.data))
	}
	return err
}

// checkPassed returns an error for flags that the trainer would refuse, before it is built. Only the program knows whether it
// has a learning rate.
func (j *job) checkPassed() error {
	args := []string{"-data", cmp.Or(j.data, "any")}
	j.cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(j.passed, f.Name) && !(f.Name == "format" && data.IsTable(f.Value.String())) {
			args = append(args, "-"+f.Name+"="+f.Value.String())
		}
		if f.Name == "json" {
			args = append(args, "-json")
		}
	})
	peers := j.peers.count
	if j.stages.count > 0 {
		peers = 1 // each stage has the whole batch
	}
	if err := host.Check(model.TrainProgram{Name: "MODEL", Rate: 1}, peers, args, &web.Page{}); err != nil {
		return cli.Usagef("%w", err)
	}
	return nil
}

// run trains.
func (j *job) run() error {
	tmp, remove, err := project.TempDir("", "bbgen-train-*")
	if err != nil {
		return err
	}
	defer remove()
	var from string
	var without []string
	if j.data != "" { // before the build, which takes longer
		if from, without, err = j.source(tmp); err != nil {
			return err
		}
	}
	bin, err := j.build(tmp)
	if err != nil || j.data == "" {
		return err
	}
	final := filepath.Join(tmp, "final.safetensors")
	args, best := j.args(from, without, final)
	j.progress.Done()
	if j.find {
		return j.runPeer(bin, args)
	}
	if err := j.train(bin, tmp, args); err != nil {
		return err
	}
	weights := best
	if _, err := os.Stat(best); errors.Is(err, fs.ErrNotExist) {
		weights = final
	}
	if _, err := os.Stat(final); errors.Is(err, fs.ErrNotExist) { // it was interrupted and has reported that, or another machine writes the weights
		if p := j.group(); p.count > 0 && !p.here && !j.quiet {
			fmt.Fprintln(j.cmd.ErrOrStderr(), "no weights are written here: the machine that prints the progress has them")
		}
		return nil
	}
	return j.keep(weights, best)
}

// keep writes the trained model, or prints how to. The file best remains after training.
func (j *job) keep(weights, best string) error {
	switch {
	case j.out == "" && weights == best:
		j.tell("no -o: the weights are in %s alone; bbgen export %s --weights %s -o FILE writes the model", best, j.model, best)
		return nil
	case j.out == "":
		j.tell("no -o: nothing is held back for validation, and the weights of the end are written nowhere; --resume -o FILE writes the model")
		return nil
	}
	if err := export.Weights(j.model, weights, j.out, export.Options{Metadata: j.lossNote}); err != nil {
		return err
	}
	if weights == best {
		j.tell("wrote %s, with the weights of the best validation", j.out)
	} else {
		j.tell("wrote %s, with the weights of the end", j.out)
	}
	return nil
}

// tell prints a line, unless the job is quiet.
func (j *job) tell(format string, args ...any) {
	if !j.quiet {
		fmt.Fprintf(j.cmd.OutOrStdout(), format+"\n", args...)
	}
}

// build makes the peer.
func (j *job) build(tmp string) (bin string, err error) {
	m, err := onnx.ReadFile(j.model)
	if err != nil {
		return "", err
	}
	opt, err := j.how.options(j.cmd, m)
	if err != nil {
		return "", err
	}
	if j.lossNote, err = j.how.lossMetadata(j.cmd, opt.Loss.Name); err != nil {
		return "", err
	}
	opt.Split = j.group().count > 0 || j.watched() && opt.Loss.Name != "" && opt.Precision == tensor.Float32
	home := project.Home{Dir: filepath.Join(tmp, "peer"), Import: "peer.bbgen.local", Own: true}
	host := j.peers.host()
	if host == "train" && j.cmd.Flags().Changed("http") {
		host = "train/web"
	}
	kernels, err := j.how.kernels.Options()
	if err != nil {
		return "", err
	}
	r, err := bbgen.Compile(m, bbgen.Config{
		Source: filepath.Base(j.model), Import: home.Import, Hosts: []string{host}, Bind: j.how.bind, Options: kernels, Train: &opt, Cut: j.cut(),
		Done: func(s string) { j.progress.Stage("%s", s) },
	})
	if err != nil {
		return "", err
	}
	j.tellStages(r)
	j.tellRecomputed(r)
	j.warn(r)
	if err := project.Write(home, r.Files); err != nil {
		return "", err
	}
	bin = filepath.Join(tmp, "train")
	if j.peer != "" {
		if bin, err = filepath.Abs(j.peer); err != nil {
			return "", err
		}
	}
	j.progress.Stage("go build")
	return bin, project.GoBuild(home.Dir, bin)
}

// cut returns how the model is cut into stages, or nil.
func (j *job) cut() *bbgen.Cut {
	if j.stages.count == 0 {
		return nil
	}
	bandwidth := float64(j.bandwidth)
	if bandwidth == 0 && j.stages.here {
		bandwidth = loopback
	}
	return &bbgen.Cut{Split: &partitioner.SplitOptions{Stages: j.stages.count, Bandwidth: bandwidth}}
}

// loopback is how many bytes per second processes of one machine send each other, encrypted.
const loopback = 1e9

// tellStages prints the table of stages, if there are any.
func (j *job) tellStages(r *bbgen.Result) {
	if r.Stages != nil && !j.quiet {
		j.progress.Done()
		fmt.Fprint(j.cmd.ErrOrStderr(), r.Stages)
	}
}

// watched reports whether the progress of training is observed. A step is then split into two halves, so that
// the gradients can be observed in between.
//
// NB: not if values are stored in 16 bits. A whole step rounds gradients there, and observation must not
// change the results.
func (j *job) watched() bool {
	return slices.ContainsFunc([]string{"metrics", "tensorboard", "http"}, j.cmd.Flags().Changed)
}

// tellRecomputed prints the cost of a memory limit, if there was one.
func (j *job) tellRecomputed(r *bbgen.Result) {
	if r.Recomputed == nil {
		return
	}
	j.progress.Done()
	if !j.quiet {
		fmt.Fprintf(j.cmd.ErrOrStderr(), "%s\n", r.Recomputed)
	}
}

// warn prints what is odd in the model, as bbgen does for a model that is not trained.
func (j *job) warn(r *bbgen.Result) {
	if len(r.Warnings)+len(r.Stale) == 0 {
		return
	}
	j.progress.Done()
	j.how.kernels.Warn(j.cmd.ErrOrStderr(), r)
}

// source returns the path of the data that the peer reads, and the names of the flags that it is not given.
func (j *job) source(tmp string) (from string, without []string, err error) {
	if from, err = data.Find(j.data); err != nil {
		return "", nil, err
	}
	if _, err := os.Stat(from); err != nil && (j.stages.count == 0 || j.stages.here) { // of stages on several machines, one has the data
		return "", nil, fmt.Errorf("--data: %w", err)
	}
	j.progress.Stage("reading %s", j.data)
	dir, err := data.Arrays(from, tmp, func(name string) string { return j.cmd.Flags().Lookup(name).Value.String() }, j.columns)
	if err != nil || dir == "" {
		return from, nil, err
	}
	return dir, data.TableFlags, nil
}

// args returns the peer's arguments, with the data from a path and without some flags, and the file of its best weights.
func (j *job) args(from string, without []string, final string) (args []string, best string) {
	args = []string{"-data", from, "-o", final}
	checkpoint := strings.TrimSuffix(filepath.Base(j.model), filepath.Ext(j.model)) + ".checkpoint"
	j.cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(j.passed, f.Name) && !slices.Contains(without, f.Name) {
			args = append(args, "-"+f.Name+"="+f.Value.String())
		}
		switch f.Name {
		case "checkpoint":
			checkpoint = f.Value.String()
		case "best":
			best = f.Value.String()
		case "quiet":
			if !j.find { // whose result is what it prints
				args = append(args, "-q")
			}
		case "json":
			args = append(args, "-json")
		}
	})
	if best == "" {
		best = filepath.Join(checkpoint, "best.safetensors")
		args = append(args, "-best", best)
	}
	return append(args, "-checkpoint", checkpoint), best
}

// runPeer runs the peer in the current terminal. Ctrl-C also reaches the peer, which writes its checkpoint
// and ends, and then bbgen ends with its exit code. A second Ctrl-C ends the peer at once. Its standard input is a pipe that closes when bbgen ends, even by kill -9,
// and then the peer ends as by Ctrl-C.
func (j *job) runPeer(bin string, args []string) error {
	cmd := exec.Command(bin, args...)
	cmd.Stdout, cmd.Stderr = j.cmd.OutOrStdout(), j.cmd.ErrOrStderr()
	if width := cli.Width(cmd.Stderr); width > 0 {
		cmd.Env = append(cmd.Environ(), fmt.Sprintf("COLUMNS=%d", width)) // its line of progress must not wrap
	}
	if _, err := cmd.StdinPipe(); err != nil { // Wait closes it
		return err
	}
	defer cli.LeaveInterrupts()()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan struct{})
	defer close(done)
	var last atomic.Pointer[os.Signal]
	go func() {
		for {
			select {
			case s := <-signals:
				last.Store(&s)
				if s == syscall.SIGTERM {
					cmd.Process.Signal(s)
				}
			case <-done:
				return
			}
		}
	}()
	err := cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		return cli.Failed{Code: exit.ExitCode()} // it has reported the error
	}
	if told := last.Load(); err != nil && told != nil { // the second signal ended it at once
		return cli.Interrupted(*told)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(bin), err)
	}
	return nil
}
