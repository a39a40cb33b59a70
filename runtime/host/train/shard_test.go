package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// sharded returns options with a divided state.
func sharded(opt Options, replicas int) Options {
	opt.ShardOptimizer, opt.ShardReplicas = true, replicas
	return opt
}

// sameResults compares the files of two trainings.
func sameResults(t *testing.T, what, got, want string) {
	t.Helper()
	a, b := results(t, got), results(t, want)
	for name := range b {
		if a[name] != b[name] {
			t.Errorf("%s: %s differs from a training whose peers keep the whole state", what, name)
		}
	}
}

// keptBytes returns the size of the optimizer's state that a session keeps.
func keptBytes(s model.TrainSession) (n int) {
	for _, v := range s.State() {
		if v.Of != "" && v.Value != nil {
			n += len(v.Value.Bytes())
		}
	}
	return n
}

// wholeBytes is the size of the optimizer's state of linear: two momenta and an average.
const wholeBytes = 4 * (4 + 2 + 2)

// TestShard trains with divided state: the files have the same bits as with the whole state on each peer, and each
// peer keeps its part.
func TestShard(t *testing.T) {
	for _, n := range []int{1, 2, 3} {
		want := t.TempDir()
		if errs, _ := runTogether(t.Context(), n, teamOptions(t, want), calmly); errors.Join(errs...) != nil {
			t.Fatal(errs)
		}
		for replicas := range 2 {
			dir := t.TempDir()
			sessions := make([]model.TrainSession, n)
			errs, said := runTogether(t.Context(), n, sharded(teamOptions(t, dir), replicas), func(rank int) model.TrainProgram {
				return noted(split(nil), &sessions[rank])
			})
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
			sameResults(t, fmt.Sprintf("%d peers, %d replicas", n, replicas), dir, want)
			kept := 0
			for _, s := range sessions {
				kept += keptBytes(s)
			}
			if copies := min(replicas+1, n); kept != copies*wholeBytes {
				t.Errorf("%d peers keep %d bytes, want %d times %d", n, kept, copies, wholeBytes)
			}
			first := fmt.Sprintf("optimizer's state: %d of %d bytes on this peer, in parts on %d\n", keptBytes(sessions[0]), wholeBytes, n)
			if !strings.Contains(said, first) {
				t.Errorf("they say\n%s\nwant %q", said, first)
			}
		}
	}
}

// noted returns a program whose session is stored.
func noted(p model.TrainProgram, to *model.TrainSession) model.TrainProgram {
	begin := p.New
	p.New = func(seed uint64) (model.TrainSession, error) {
		s, err := begin(seed)
		*to = s
		return s, err
	}
	return p
}

// TestShardLoss kills peers in the middle of a step, when the others have its gradients but not its weights, and
// between steps. With replicas nothing is lost: the files are those of peers that keep the whole state. Without
// replicas the training says what is lost.
func TestShardLoss(t *testing.T) {
	for _, at := range []struct{ apply, gradients int }{{9, 0}, {0, 9}} {
		for victim := range 2 {
			mortal := func(rank int) model.TrainProgram {
				if rank != victim {
					return split(nil)
				}
				p := split(func(n int) error {
					if n == at.gradients {
						return errKilled
					}
					return nil
				})
				begin := p.New
				p.New = func(seed uint64) (model.TrainSession, error) {
					s, err := begin(seed)
					return &killedMidStep{s.(*halves), at.apply}, err
				}
				return p
			}
			what := fmt.Sprintf("killed %d in %+v", victim, at)
			want, dir := t.TempDir(), t.TempDir()
			whole := teamOptions(t, want)
			if at.apply > 0 { // the loss is noticed when weights are gathered, and otherwise one step later
				whole = sharded(whole, 2)
			}
			runTogether(t.Context(), 3, whole, mortal)
			errs, said := runTogether(t.Context(), 3, sharded(teamOptions(t, dir), 1), mortal)
			for rank, err := range errs {
				if (rank == victim) != errors.Is(err, errKilled) || rank != victim && err != nil {
					t.Errorf("%s: peer %d: %v", what, rank, err)
				}
			}
			sameResults(t, what, dir, want)
			if strings.Contains(said, "begins anew") {
				t.Errorf("%s: with a replica they say\n%s", what, said)
			}
			_, said = runTogether(t.Context(), 3, sharded(teamOptions(t, t.TempDir()), 0), mortal)
			part := []string{"w[0:2]", "w[2:4]"}[victim]
			if lost := "no peer is left that kept the optimizer's state of " + part + ": it begins anew\n"; strings.Count(said, lost) != 1 || !strings.Contains(said, "step 24  loss 0.") {
				t.Errorf("%s: without a replica they say\n%s\nwant once %q", what, said, lost)
			}
		}
	}
}

// TestShardLossAnywhere kills a peer in any of its first gathers: of weights, of the state for a checkpoint, or for the
// exported averages. With a replica the others go on, and lose nothing.
func TestShardLossAnywhere(t *testing.T) {
	for left := 1; left <= 10; left++ {
		for victim := range 3 {
			dir := t.TempDir()
			sessions := make([]model.TrainSession, 3)
			errs, said := runTogether(t.Context(), 3, sharded(teamOptions(t, dir), 1), func(rank int) model.TrainProgram {
				return noted(split(nil), &sessions[rank])
			}, func(rank int, opt *Options) {
				if rank == victim {
					opt.Group = &dying{opt.Group.(one), left}
				}
			})
			what := fmt.Sprintf("peer %d, gather %d", victim, left)
			kept := 0
			for rank, err := range errs {
				if rank != victim && err != nil || rank == victim && !errors.Is(err, errKilled) {
					t.Errorf("%s: peer %d: %v", what, rank, err)
				}
				if rank != victim {
					kept += keptBytes(sessions[rank])
				}
			}
			if kept != 2*wholeBytes || strings.Contains(said, "begins anew") || !strings.Contains(said, "step 24  loss 0.") {
				t.Errorf("%s: the others keep %d bytes, want all %d twice, and say\n%s", what, kept, wholeBytes, said)
			}
			metrics := results(t, dir)["metrics"]
			for step := 1; step <= 24; step++ {
				if strings.Count(metrics, fmt.Sprintf(`{"step":%d,"epoch":%d,"loss"`, step, (step-1)/8+1)) != 1 {
					t.Errorf("%s: step %d does not stand in the metrics once:\n%s", what, step, metrics)
				}
			}
		}
	}
}

// TestShardReturn kills a peer and starts it again: the others give it its part of the state, and all goes on as with
// peers that keep the whole state.
func TestShardReturn(t *testing.T) {
	for victim := range 2 {
		var dirs []string
		for _, change := range []func(Options) Options{
			func(o Options) Options { return o },
			func(o Options) Options { return sharded(o, 1) },
		} {
			dir := t.TempDir()
			dirs = append(dirs, dir)
			c, errs, reached := newCircle(4), make([]error, 4), make(chan struct{})
			sessions := make([]model.TrainSession, 4)
			run := func(rank int, onStep func(n int) error) error {
				opt := change(teamOptions(t, dir))
				opt.Group = one{c, rank}
				err := Run(t.Context(), noted(split(onStep), &sessions[rank]), points(125), opt)
				c.leave(rank)
				return err
			}
			var wg sync.WaitGroup
			for rank := range errs {
				wg.Go(func() {
					errs[rank] = run(rank, func(n int) error {
						switch {
						case rank == victim && n == 7:
							return errKilled
						case rank == 2 && n == 12:
							close(reached)
							c.awaitComing(victim)
						}
						return nil
					})
					if rank == victim && errors.Is(errs[rank], errKilled) {
						<-reached
						errs[rank] = run(rank, nil)
					}
				})
			}
			wg.Wait()
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
			if whole := keptBytes(sessions[3]); len(dirs) == 1 && whole != wholeBytes {
				t.Errorf("a peer keeps %d bytes, want all %d", whole, wholeBytes)
			}
			sum := 0
			for _, s := range sessions {
				sum += keptBytes(s)
			}
			if len(dirs) == 2 && sum != 2*wholeBytes {
				t.Errorf("four peers keep %d bytes, want %d twice", sum, wholeBytes)
			}
			for i, v := range sessions[victim].State() {
				w := sessions[3].State()[i]
				if v.Name != "random" && v.Of == "" && !bytes.Equal(v.Value.Bytes(), w.Value.Bytes()) {
					t.Errorf("%s of peer %d is %v, want %v", v.Name, victim, v.Value.Data, w.Value.Data)
				}
			}
		}
		sameResults(t, fmt.Sprintf("peer %d returns", victim), dirs[1], dirs[0])
	}
}

// TestShardResume interrupts a training and resumes it, with divided state or without, before and after: the
// checkpoint has the whole state, so that the result is the same.
func TestShardResume(t *testing.T) {
	want := t.TempDir()
	if errs, _ := runTogether(t.Context(), 3, teamOptions(t, want), calmly); errors.Join(errs...) != nil {
		t.Fatal(errs)
	}
	for _, divided := range [][2]bool{{true, true}, {true, false}, {false, true}} {
		dir := t.TempDir()
		ctx, stop := context.WithCancel(t.Context())
		for part, divided := range divided {
			opt := teamOptions(t, dir)
			opt.Resume, opt.ShardOptimizer = part == 1, divided
			now := ctx
			if part == 1 {
				now = t.Context()
			}
			errs, said := runTogether(now, 3, opt, func(int) model.TrainProgram {
				return split(func(n int) error {
					if n == 11 {
						stop()
					}
					return nil
				})
			})
			for _, err := range errs {
				if (part == 0) != errors.Is(err, ErrInterrupted) || part == 1 && err != nil {
					t.Fatalf("%v, part %d: %v\n%s", divided, part, err, said)
				}
			}
		}
		stop()
		sameResults(t, fmt.Sprint("divided ", divided), dir, want)
	}
}

// TestShardEnd ends a group in the middle of a step: nobody has the whole state, so that no checkpoint is written,
// and the error says how to go on.
func TestShardEnd(t *testing.T) {
	dir := t.TempDir()
	opt := sharded(teamOptions(t, dir), 0)
	opt.Group = &breaking{one{newCircle(1), 0}, 13}
	if err := Run(t.Context(), split(nil), points(125), opt); !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "go on with --resume") {
		t.Errorf("got %v", err)
	}
}

// TestShardRefuses refuses programs whose state cannot be divided.
func TestShardRefuses(t *testing.T) {
	for want, p := range map[string]model.TrainProgram{
		"generate it again with --peers":                                      undivided(split(nil)),
		"w/momentum is float64, want float32 to divide the optimizer's state": replaced(split(nil)),
	} {
		opt := sharded(Options{Epochs: 1, Batch: 12, Group: one{newCircle(3), 0}}, 0)
		if _, err := newTrainer(p, points(125), opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// undivided returns a program whose sessions have no Keep.
func undivided(p model.TrainProgram) model.TrainProgram {
	return wrapped(p, func(h *halves) model.TrainSession { return struct{ model.SplitSession }{h} })
}

// doubles is halves with a momentum in float64.
type doubles struct{ *halves }

func (d doubles) State() []model.Variable {
	list := d.halves.State()
	for i, v := range list {
		if v.Name == "w/momentum" {
			list[i].Value = tensor.New(tensor.Float64, 2, 2)
		}
	}
	return list
}

func replaced(p model.TrainProgram) model.TrainProgram {
	return wrapped(p, func(h *halves) model.TrainSession { return doubles{h} })
}

// wrapped returns a program with other sessions.
func wrapped(p model.TrainProgram, wrap func(*halves) model.TrainSession) model.TrainProgram {
	begin := p.New
	p.New = func(seed uint64) (model.TrainSession, error) {
		s, err := begin(seed)
		return wrap(s.(*halves)), err
	}
	return p
}
