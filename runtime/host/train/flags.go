package train

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/component/schedule"
	"github.com/bbgen/bbgen/runtime/host/suggest"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// config is a command line.
type config struct {
	Options
	data, format                  string
	label, missing                string
	columns, categories           string
	valSplit                      float64
	schedule, augment, means, std string
	codec                         string
	mean, deviation               []float32
	standardize                   bool
	eval, json                    bool
	find                          bool
	folds                         int
	rates                         string
	quiet, untilEOF               bool
	noBatch                       bool // --batch 0 was given
	twoEnds                       bool // both --epochs and --steps were given
}

// Flags returns the flags of a program's command line, for programs that pass them on.
func Flags(p model.TrainProgram, more ...Recorder) *flag.FlagSet {
	return (&config{Options: Options{Recorders: more}}).flags(p)
}

// parse reads a command line.
func parse(p model.TrainProgram, args []string, stdout, stderr io.Writer, more ...Recorder) (*config, error) {
	c := &config{Options: Options{Stdout: stdout, Stderr: stderr, Recorders: more}}
	f := c.flags(p)
	if err := suggest.Flag(f.Parse(args), f); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			usage(f, p, stdout)
		}
		return nil, err
	}
	given := map[string]bool{}
	f.Visit(func(f *flag.Flag) { given[f.Name] = true })
	c.noBatch = given["batch"] && c.Batch == 0
	c.twoEnds = given["epochs"] && c.Steps > 0
	if f.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	if c.quiet {
		c.Stdout, c.Stderr = io.Discard, io.Discard
	}
	var err [6]error
	c.Schedule, err[0] = schedule.Parse(c.schedule)
	c.Augment, err[1] = dataset.ParseAugmentation(c.augment)
	c.mean, err[2] = numbers("mean", c.means)
	c.deviation, err[3] = numbers("std", c.std)
	c.Codec, err[4] = parseCodec(c.codec)
	if c.find {
		_, _, err[5] = rateRange(c.rates)
	}
	return c, errors.Join(append(err[:], c.check(), c.checkRate(p), c.checkFolds())...)
}

// flags declares the flags.
func (c *config) flags(p model.TrainProgram) *flag.FlagSet {
	f := flag.NewFlagSet(p.Name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&c.data, "data", "", "the `folder or file` to learn from: IDX (MNIST), CSV, NPY, NPZ, a folder of images for each class, text")
	f.StringVar(&c.format, "format", "", "the `format` of the data: one of "+strings.Join(dataset.Formats, ", ")+", whatever they look like")
	f.StringVar(&c.label, "label", "", "the label's `column` of a CSV file, by name or number")
	f.StringVar(&c.columns, "columns", "", "the `columns` of a CSV file that the model reads, in this order (default all but the label's)")
	f.StringVar(&c.categories, "categories", "", "the `columns` of a CSV file that hold words: each word becomes a feature, 1 or 0")
	f.StringVar(&c.missing, "missing", "", "what to do with empty cells of a CSV file: `drop` leaves their lines out, a number stands for them")
	f.Float64Var(&c.valSplit, "val-split", 0.1, "the part of the data held back for validation where they have none of their own")
	f.IntVar(&c.Epochs, "epochs", 10, "how often to see each example")
	f.IntVar(&c.Steps, "steps", 0, "how many batches to see instead")
	f.IntVar(&c.Batch, "batch", 0, "examples a batch (default 64, or what the model fixes)")
	f.Float64Var(&c.Rate, "lr", 0, rateUsage(p))
	f.Uint64Var(&c.Seed, "seed", 1, "what the order of examples, augmentation and dropout depend on")
	f.IntVar(&c.EvalEvery, "eval-every", 0, "validate after so many steps (default an epoch)")
	f.IntVar(&c.EarlyStop, "early-stop", 0, "stop after so many validations without a better loss")
	f.StringVar(&c.Checkpoint, "checkpoint", p.Name+".checkpoint", "the `folder` for the checkpoint, written after each validation and on interruption")
	f.IntVar(&c.Every, "every", 0, "write a checkpoint after so many steps, too")
	f.BoolVar(&c.Resume, "resume", false, "go on from the checkpoint")
	f.StringVar(&c.Metrics, "metrics", "", "write a line of JSON for each step and each validation to this `file`")
	f.StringVar(&c.TensorBoard, "tensorboard", "", "write the same numbers, and histograms of the weights, for TensorBoard into this `folder`")
	f.StringVar(&c.Best, "best", "", "write the weights of the best validation to this `file` (safetensors)")
	f.StringVar(&c.Output, "o", "", "write the weights in the end to this `file` (safetensors)")
	f.StringVar(&c.codec, "codec", collective.Exact.String(), "how peers that train together send their gradients: exact, bfloat16 (half the bytes) or int8 (a quarter)")
	f.BoolVar(&c.ShardOptimizer, "shard-optimizer", false, "divide the optimizer's state among peers that train together (ZeRO stage 1): each keeps that of a part of the weights, and updates these for all")
	f.IntVar(&c.ShardReplicas, "shard-replicas", 0, "with --shard-optimizer: on how many further peers to keep each part, so that it is not lost with one")
	f.IntVar(&c.Threads, "threads", 0, "threads to use (default one for each whole processor that the machine gives)")
	f.StringVar(&c.schedule, "schedule", "constant", "the `schedule` by which the learning rate changes: constant, step, cosine, onecycle, polynomial or warmup; settings follow after commas, as in cosine,warmup=100,min=1e-5")
	f.StringVar(&c.augment, "augment", "", "vary images in these `ways`, as in shift=2,rotate=10,scale=0.1,flip")
	f.StringVar(&c.Sample, "sample", "", "draw examples at random, with replacement: `balanced` draws all classes equally often, another name is that of an array beside x and y with a weight for each example")
	f.StringVar(&c.means, "mean", "", "take this `number` from the features, or one for each channel")
	f.StringVar(&c.std, "std", "", "and divide them by this `number`, or one for each channel")
	f.BoolVar(&c.standardize, "standardize", false, "take each column's or channel's mean from the features and divide them by its deviation")
	f.BoolVar(&c.eval, "eval", false, "train nothing: say how good the model is on what the data hold for validation, or else on all")
	f.BoolVar(&c.find, "find-lr", false, "train nothing: try learning rates that grow from step to step, 100 steps without --steps, and suggest one")
	f.StringVar(&c.rates, "lr-range", "1e-7:10", "with --find-lr: the first and the last `rates`")
	f.IntVar(&c.folds, "folds", 0, "cross-validate: divide the examples into so many parts, train once for each on the others, and keep no weights")
	f.BoolVar(&c.json, "json", false, "with -eval, -find-lr and -folds: as a line of JSON")
	f.BoolVar(&c.untilEOF, "until-eof", false, "stop as on an interrupt when standard input ends, as it does when the process that started this one has ended")
	f.BoolVar(&c.quiet, "q", false, "print nothing but errors")
	for _, r := range c.Recorders {
		if r, ok := r.(interface{ Flags(*flag.FlagSet) }); ok {
			r.Flags(f)
		}
	}
	return f
}

func rateUsage(p model.TrainProgram) string {
	if p.Rate == 0 {
		return "the learning rate (default the optimizer's)"
	}
	return fmt.Sprintf("the learning rate (default %g)", p.Rate)
}

func usage(f *flag.FlagSet, p model.TrainProgram, w io.Writer) {
	fmt.Fprintf(w, "Trains the model %q, compiled by bbgen from %s, with %s by %s.\n\n", p.Name, p.Source, p.Loss, p.Optimizer)
	f.SetOutput(w)
	f.PrintDefaults()
	fmt.Fprintf(w, "\nexample:\n  %s --data mnist --epochs 5 --batch 64 --schedule cosine --best best.safetensors\n", p.Name)
}

// check returns an error for invalid numbers.
func (c *config) check() error {
	switch {
	case c.data == "":
		return errors.New("what to learn from? give --data")
	case c.format != "" && !slices.Contains(dataset.Formats, c.format):
		return fmt.Errorf("--format is %q, want one of %s", c.format, strings.Join(dataset.Formats, ", "))
	case c.noBatch:
		return errors.New("--batch is 0, want at least 1")
	case c.twoEnds:
		return errors.New("--steps counts batches in place of --epochs: give one or the other")
	case c.json && !c.eval && !c.find && c.folds == 0:
		return errors.New("--json is for --eval, --find-lr and --folds: --metrics FILE writes the steps and validations of a training as lines of JSON")
	case c.standardize && len(c.mean) > 0:
		return errors.New("--standardize computes what --mean and --std say: give one or the other")
	case !(c.valSplit >= 0 && c.valSplit < 1):
		return fmt.Errorf("--val-split is %g, want a part from 0 to below 1", c.valSplit)
	case !(c.Rate >= 0) || math.IsInf(c.Rate, 1):
		return fmt.Errorf("--lr is %g, want a finite number, more than 0", c.Rate)
	case c.Epochs < 1 && c.Steps < 1:
		return fmt.Errorf("--epochs is %d, want at least 1", c.Epochs)
	case c.ShardReplicas > 0 && !c.ShardOptimizer:
		return errors.New("--shard-replicas is for the parts of --shard-optimizer: give that, too")
	case len(c.mean) != len(c.deviation):
		return fmt.Errorf("--mean has %d numbers, --std %d", len(c.mean), len(c.deviation))
	}
	return c.checkCounts()
}

// checkCounts returns an error for counts below 0.
func (c *config) checkCounts() error {
	for _, f := range []struct {
		name  string
		value int
	}{{"steps", c.Steps}, {"batch", c.Batch}, {"eval-every", c.EvalEvery}, {"early-stop", c.EarlyStop}, {"every", c.Every}, {"shard-replicas", c.ShardReplicas}, {"threads", c.Threads}} {
		if f.value < 0 {
			return fmt.Errorf("--%s is %d, want 0 or more", f.name, f.value)
		}
	}
	return nil
}

// checkRate returns an error for a learning rate if the program's algorithm has its own.
func (c *config) checkRate(p model.TrainProgram) error {
	if p.Rate == 0 && (c.Rate != 0 || c.schedule != "constant") {
		return errors.New("--lr and --schedule say nothing to this program: its algorithm has a learning rate of its own")
	}
	if p.Rate == 0 && c.find {
		return errors.New("--find-lr: the program's algorithm has a learning rate of its own")
	}
	return nil
}

// parseCodec returns a codec by its name.
func parseCodec(name string) (collective.Codec, error) {
	for _, c := range collective.Codecs() {
		if c.String() == name {
			return c, nil
		}
	}
	return 0, fmt.Errorf("--codec is %q, want one of %v", name, collective.Codecs())
}

// numbers reads numbers separated by commas.
func numbers(name, text string) ([]float32, error) {
	var out []float32
	for part := range strings.SplitSeq(text, ",") {
		if text == "" {
			break
		}
		v, err := strconv.ParseFloat(part, 32)
		if err != nil {
			return nil, fmt.Errorf("--%s: %q is no number", name, part)
		}
		out = append(out, float32(v))
	}
	return out, nil
}

// open opens the data in the form that the program needs.
func (c *config) open(p model.TrainProgram) (*dataset.Set, error) {
	p = withLabels(p)
	if err := checkPorts(p); err != nil {
		return nil, err
	}
	fsys, name, err := locate(c.data)
	if err != nil {
		return nil, err
	}
	further := columns(p)
	if c.Sample != "" && c.Sample != Balanced && !c.eval {
		further = append(further, dataset.Column{Name: c.Sample, As: tensor.Float32, Weights: true})
	}
	var learned []string
	if c.eval {
		learned = p.Columns
	}
	set, err := dataset.Open(fsys, name, dataset.Options{
		Format: c.format, Label: c.label, Columns: list(c.columns), Categories: list(c.categories), Missing: c.missing,
		X: readAs(p.Inputs[0]), Y: readAs(labelPort(p)),
		Shape: known(p.Inputs[0].Dims[1:]), Classes: classes(p), More: further, Learned: learned,
	})
	if err != nil {
		if what, is := strings.CutPrefix(err.Error(), ".: "); is { // the folder itself
			return nil, fmt.Errorf("%s: %s", c.data, what)
		}
		if strings.HasPrefix(err.Error(), name+": ") { // it names the file itself, without its folder
			return nil, fmt.Errorf("%s%w", strings.TrimSuffix(c.data, name), err)
		}
		return nil, fmt.Errorf("%s: %w", c.data, err)
	}
	if err := c.follow(p, set); err != nil {
		return nil, fmt.Errorf("%s: %w", c.data, err)
	}
	if c.folds > 0 {
		return set, nil // each fold is divided and normalized by itself
	}
	if set.Val == nil && !c.eval {
		set.Train, set.Val = dataset.Split(set.Train, c.valSplit, c.Seed)
	}
	return set, c.normalize(set)
}

// follow numbers classes and orders columns as in the data that the model was trained on. A training may be for other
// classes or columns, and warns; an evaluation may not.
func (c *config) follow(p model.TrainProgram, set *dataset.Set) error {
	err := set.FollowClasses(p.Classes)
	if c.columns == "" {
		err = cmp.Or(err, set.FollowColumns(p.Columns))
	}
	if err != nil && !c.eval {
		fmt.Fprintf(c.Stderr, "%s: warning: %s: %v; the model learns the names of the data in their place\n", sourceOf(p), c.data, err)
		return nil
	}
	return err
}

// normalize scales the features as the flags say.
func (c *config) normalize(set *dataset.Set) error {
	switch {
	case c.standardize:
		return set.Standardize()
	case len(c.mean) > 0:
		return set.Normalize(c.mean, c.deviation)
	}
	return nil
}

// list parses names separated by commas; nil if there are none.
func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// locate returns the file system of the data, and their name in it.
func locate(name string) (root fs.FS, file string, err error) {
	st, err := os.Stat(name)
	if err != nil {
		return nil, "", err
	}
	if st.IsDir() {
		return os.DirFS(name), ".", nil
	}
	return os.DirFS(filepath.Dir(name)), filepath.Base(name), nil
}

// withLabels returns a program whose labels are a target. If the model computes its loss itself (--loss output), they are
// its second input, and further ones are targets like those of other losses; if it has one input, labels are not read.
func withLabels(p model.TrainProgram) model.TrainProgram {
	if len(p.Targets) == 0 && len(p.Inputs) > 1 {
		p.Inputs, p.Targets = p.Inputs[:1], p.Inputs[1:]
	}
	return p
}

// labelPort returns the port that decides how labels are read: the first target, or the input if there is no target.
func labelPort(p model.TrainProgram) model.Port {
	if len(p.Targets) == 0 {
		return p.Inputs[0]
	}
	return p.Targets[0]
}

// checkPorts returns an error for programs whose inputs a source cannot provide.
func checkPorts(p model.TrainProgram) error {
	if len(p.Inputs) == 0 {
		return errors.New("the model has no inputs: data give one at least; write a main with sources of your own")
	}
	for _, port := range slices.Concat(p.Inputs, p.Targets) {
		if port.Elem == tensor.Undefined || len(port.Dims) == 0 {
			return fmt.Errorf("%s is %s, want a tensor with an axis for the batch", port.Name, port.Type)
		}
	}
	return nil
}

// more returns the ports after the first input and the first target, in their order.
func more(p model.TrainProgram) []model.Port {
	return slices.Concat(p.Inputs[1:], p.Targets[min(1, len(p.Targets)):])
}

// columns returns the columns that a source must provide in addition to features and labels.
func columns(p model.TrainProgram) []dataset.Column {
	var out []dataset.Column
	for _, port := range more(p) {
		out = append(out, dataset.Column{Name: port.Name, As: readAs(port)})
	}
	return out
}

// readAs returns the type in which a source provides the values of a port: int64 for integers, float32 for the
// rest.
func readAs(p model.Port) tensor.DType {
	if p.Elem.IsInt() {
		return tensor.Int64
	}
	return tensor.Float32
}

// known returns the sizes in dims, with -1 for varying ones.
func known(dims []string) []int {
	out := make([]int, len(dims))
	for i, d := range dims {
		n, err := strconv.Atoi(d)
		if err != nil {
			n = -1
		}
		out[i] = n
	}
	return out
}

// classes returns the number of the model's classes, if its output has a fixed size.
func classes(p model.TrainProgram) int {
	if len(p.Outputs) == 0 || len(p.Targets) == 0 {
		return 0
	}
	dims := p.Outputs[0].Dims
	axis := classAxis(dims, p.Targets[0].Dims)
	if axis < 0 {
		return 0
	}
	return max(known(dims)[axis], 0)
}

// classAxis returns the axis along which a classifier's output has a score for each class: labels have all axes
// except this one. It is the axis after the batch, as in ONNX's losses, or the last; -1 if neither.
func classAxis[D comparable](out, labels []D) int {
	for _, axis := range []int{1, len(out) - 1} {
		if axis < len(out) && axis > 0 && slices.Equal(slices.Concat(out[:axis], out[axis+1:]), labels) {
			return axis
		}
	}
	return -1
}
