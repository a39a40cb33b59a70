package train

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime/host/lockfile"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/safetensors"
)

const (
	checkpointFile = "checkpoint.safetensors"
	checkpointKey  = "bbgen.training" // of the metadata
)

// record is a checkpoint's description of its training, in addition to the state: the properties that must be
// the same when it is resumed, and its position.
type record struct {
	Model     string   `json:"model"`
	Loss      string   `json:"loss"`
	Optimizer string   `json:"optimizer"`
	Seed      uint64   `json:"seed"`
	Batch     int      `json:"batch"`
	Examples  int      `json:"examples"`
	Position  position `json:"position"`
}

func (t *trainer) record() record {
	return record{t.p.Name, t.p.Loss, t.p.Optimizer, t.opt.Seed, t.batch, t.train.source.Len(), t.position}
}

// join makes sure that all peers of a group begin with the same state. If a training is resumed, the leader
// gives its state to the others.
func (t *trainer) join() error {
	if !t.opt.Resume {
		if t.team.shards != nil {
			t.team.shards.divide(t.team.members)
		}
		return t.team.same(t.sameForAll())
	}
	if t.team.shards != nil {
		t.team.shards.own(t.team.members[0]) // it has read the checkpoint
	}
	at, err := json.Marshal(t.position)
	if err != nil {
		return err
	}
	state := append(make([]byte, 0, positionBytes), at...)[:positionBytes]
	for _, v := range t.team.common() {
		state = append(state, v.Value.Bytes()...)
	}
	if err := t.team.copyFromLeader(state); err != nil {
		return err
	}
	if err := json.Unmarshal(bytes.TrimRight(state[:positionBytes], "\x00"), &t.position); err != nil {
		return errDifferent
	}
	state = state[positionBytes:]
	for _, v := range t.team.common() {
		state = state[copy(v.Value.Bytes(), state):]
	}
	if err := t.team.reshard(); err != nil {
		return err
	}
	return t.team.same(t.sameForAll())
}

// positionBytes is the size of a position's encoding.
const positionBytes = 512

// sameForAll returns a text that must be the same on all peers of a group when they begin: the task and the
// state.
func (t *trainer) sameForAll() string {
	state := sha256.New()
	for _, v := range t.team.common() {
		state.Write(v.Value.Bytes())
	}
	return fmt.Sprintf("%s %+v %x", t.task(), t.position, state.Sum(nil))
}

// task returns a text that describes the task: it is the same on all peers of a group at any time.
func (t *trainer) task() string {
	var rates []float64 // numbers that distinguish schedules
	for i := range 5 {
		rates = append(rates, t.opt.Schedule.Rate(t.opt.Rate, t.total*i/4, t.total))
	}
	what := t.record()
	what.Position = position{}
	b, err := json.Marshal(struct {
		record
		Total, EvalEvery, EarlyStop int
		Rates                       []float64
		Codec                       string
		Shards                      []int `json:",omitempty"`
	}{what, t.total, t.opt.EvalEvery, t.opt.EarlyStop, rates, t.opt.Codec.String(), t.shards()})
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return string(b)
}

// shards returns the options of all peers that divide the optimizer's state: these call the same gathers, also for
// checkpoints.
func (t *trainer) shards() []int {
	if !t.opt.ShardOptimizer {
		return nil
	}
	return []int{1, t.opt.ShardReplicas, t.opt.Every}
}

// takeCheckpoint locks a checkpoint's folder against other trainings until its result is closed. To resume,
// there must be a checkpoint; otherwise it makes the folder. It removes what killed trainings had written of theirs.
func takeCheckpoint(dir string, resume bool) (io.Closer, error) {
	file := filepath.Join(dir, checkpointFile)
	if resume {
		switch _, err := os.Stat(file); {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("there is no checkpoint %s: begin without --resume, or name its folder with --checkpoint", file)
		case err != nil:
			return nil, err
		}
	} else if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	lock, err := lockfile.Take(dir)
	if errors.Is(err, lockfile.ErrInUse) {
		return nil, fmt.Errorf("checkpoint %w: let that training end first, or give another folder with --checkpoint", err)
	}
	if err != nil {
		return nil, err
	}
	if err := removeUnfinished(file); err != nil {
		lock.Close()
		return nil, err
	}
	return lock, nil
}

// lead opens the checkpoint if this peer is the leader.
func (t *trainer) lead(resume bool) (err error) {
	if t.team.isLeader() {
		t.lock, err = takeCheckpoint(t.opt.Checkpoint, resume)
	}
	return err
}

// takeOver continues the checkpoint and the metrics of a lost leader.
func (t *trainer) takeOver() error {
	if t.lock != nil || !t.team.isLeader() {
		return nil
	}
	if err := t.lead(false); err != nil {
		return err
	}
	return t.openRecorders(true, true)
}

// release unlocks the checkpoint.
func (t *trainer) release() {
	if t.lock != nil {
		t.lock.Close()
	}
}

// wholeState returns everything that a step changes, on the leader. If peers divide the optimizer's state, all call
// it, and it is nil on the others.
func (t *trainer) wholeState() ([]model.Variable, error) {
	if t.team == nil || t.team.shards == nil {
		return t.present()
	}
	return t.team.gatherState()
}

// save writes the checkpoint, if this peer is the leader. After a crash the previous one remains.
func (t *trainer) save() error {
	state, err := t.wholeState()
	if err != nil || !t.team.isLeader() {
		return err
	}
	if err := t.recorders.flush(); err != nil {
		return err
	}
	text, err := json.Marshal(t.record())
	if err != nil {
		return err
	}
	f := safetensors.File{Metadata: map[string]string{checkpointKey: string(text)}, Tensors: map[string]*tensor.Tensor{}}
	for _, v := range state {
		f.Tensors[v.Name] = v.Value
	}
	return writeFile(filepath.Join(t.opt.Checkpoint, checkpointFile), func(w io.Writer) error {
		_, err := f.WriteTo(w)
		return err
	})
}

// resume reads the checkpoint.
func (t *trainer) resume() error {
	f, err := readTensors(filepath.Join(t.opt.Checkpoint, checkpointFile))
	if err != nil {
		return err
	}
	var r record
	if err := json.Unmarshal([]byte(f.Metadata[checkpointKey]), &r); err != nil {
		return errors.New("this is no checkpoint of a training")
	}
	if err := t.sameTraining(r); err != nil {
		return err
	}
	if err := restore(t.s.State(), f.Tensors); err != nil {
		return err
	}
	t.position = r.Position
	return t.publish()
}

// sameTraining returns an error if a checkpoint belongs to a different training.
func (t *trainer) sameTraining(r record) error {
	now := t.record()
	var errs []error
	for _, c := range []struct {
		what      string
		was, here any
	}{
		{"the model", r.Model, now.Model},
		{"the loss", r.Loss, now.Loss},
		{"the optimizer", r.Optimizer, now.Optimizer},
		{"--seed", r.Seed, now.Seed},
		{"--batch", r.Batch, now.Batch},
		{"the number of examples", r.Examples, now.Examples},
	} {
		if c.was != c.here {
			errs = append(errs, fmt.Errorf("%s was %v, now %v", c.what, c.was, c.here))
		}
	}
	return errors.Join(errs...)
}

// restore copies tensors into a training's state; the names must be the same.
func restore(state []model.Variable, tensors map[string]*tensor.Tensor) error {
	left := maps.Clone(tensors)
	for _, v := range state {
		t := left[v.Name]
		if t == nil {
			return fmt.Errorf("there is no %q", v.Name)
		}
		if t.DType != v.Value.DType || !slices.Equal(t.Shape, v.Value.Shape) {
			return fmt.Errorf("%q is %v, want %v", v.Name, t, v.Value)
		}
		delete(left, v.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		return fmt.Errorf("%q is no part of this training", name)
	}
	for _, v := range state {
		copy(v.Value.Bytes(), tensors[v.Name].Bytes())
	}
	return nil
}

// writeWeights writes the weights under the model's names to a file, if this peer is the leader and there is a name.
func (t *trainer) writeWeights(name string) error {
	state, err := t.present()
	if err != nil {
		return err
	}
	if t.averages() {
		if state, err = t.wholeState(); err != nil {
			return err
		}
	}
	if name == "" || !t.team.isLeader() {
		return nil
	}
	meta := map[string]string{"model": t.p.Name, "step": fmt.Sprint(t.Step)}
	if t.Validated {
		meta["val_loss"] = fmt.Sprint(t.Best)
	}
	if err := t.addTraining(meta); err != nil {
		return err
	}
	f := safetensors.File{Metadata: meta, Tensors: weights(state)}
	return writeFile(name, func(w io.Writer) error {
		_, err := f.WriteTo(w)
		return err
	})
}

// averages reports whether the exported weights are averages, which belong to the optimizer's state.
func (t *trainer) averages() bool {
	return slices.ContainsFunc(t.s.State(), func(v model.Variable) bool { return v.Kind == model.Average })
}

// averageSuffix follows a weight's name in that of its average.
const averageSuffix = ".average"

// weights returns the tensors for the exported model: its weights, or their averages if there are any, and its
// buffers.
func weights(state []model.Variable) map[string]*tensor.Tensor {
	out := map[string]*tensor.Tensor{}
	for _, v := range state {
		if v.Kind == model.Weight || v.Kind == model.Buffer {
			out[v.Name] = v.Value
		}
	}
	for _, v := range state {
		if name, ok := strings.CutSuffix(v.Name, averageSuffix); ok && v.Kind == model.Average {
			out[name] = v.Value
		}
	}
	return out
}

func readTensors(name string) (*safetensors.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return safetensors.Read(f, st.Size())
}
