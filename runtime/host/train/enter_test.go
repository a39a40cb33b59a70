package train

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/bbgen/bbgen/runtime/model"
)

// entrance is the beginning of a step for the peers of a circle.
type entrance struct {
	waiting []Shared // by rank: of the peers that wait
	joined  []bool   // by rank: it has joined in the last step that it began
	err     error
}

// Enter waits for all members. A waiting peer that is no member joins.
func (o one) Enter(s Shared) (joined bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting[o.rank] = s
	o.letIn()
	o.cond.Broadcast()
	for o.waiting[o.rank] != nil {
		o.cond.Wait()
	}
	return o.joined[o.rank], o.err
}

// letIn begins the step if all members wait.
func (c *circle) letIn() {
	var from Shared
	for rank, s := range c.waiting {
		if c.there[rank] && s == nil {
			return
		}
		if from == nil && c.there[rank] {
			from = s
		}
	}
	for rank, s := range c.waiting {
		if c.joined[rank] = s != nil && !c.there[rank]; c.joined[rank] {
			b, err := from.AppendBinary(nil)
			c.err = errors.Join(c.err, err, s.UnmarshalBinary(b))
		}
		c.there[rank] = s != nil
		c.waiting[rank] = nil
	}
	c.cond.Broadcast()
}

// awaitComing waits until a peer that is no member waits.
func (c *circle) awaitComing(rank int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.waiting[rank] == nil {
		c.cond.Wait()
	}
}

// returning is a training of some peers, of which one is killed and comes back.
type returning struct {
	*circle
	mu       sync.Mutex
	said     strings.Builder
	sessions []model.TrainSession
}

// run trains as a rank.
func (r *returning) run(t *testing.T, dir string, rank int, onStep func(n int) error) error {
	opt := teamOptions(t, dir)
	opt.Group, opt.Stdout = one{r.circle, rank}, writer(func(b []byte) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.said.Write(b)
	})
	p := split(onStep)
	begin := p.New
	p.New = func(seed uint64) (model.TrainSession, error) {
		s, err := begin(seed)
		r.sessions[rank] = s
		return s, err
	}
	err := Run(t.Context(), p, points(125), opt)
	r.leave(rank)
	return err
}

// TestTeamReturn kills a peer, the leader or another one, and starts it again: it gets the state from the
// others, and from the step after next on has its part of each batch. In the end it has the same weights, bit
// for bit.
func TestTeamReturn(t *testing.T) {
	for _, victim := range []int{0, 2} {
		dir := t.TempDir()
		r := &returning{circle: newCircle(4), sessions: make([]model.TrainSession, 4)}
		errs, reached := make([]error, 4), make(chan struct{})
		var wg sync.WaitGroup
		for rank := range errs {
			wg.Go(func() {
				errs[rank] = r.run(t, dir, rank, func(n int) error {
					switch {
					case rank == victim && n == 7:
						return errKilled
					case rank == 1 && n == 12:
						close(reached)
						r.awaitComing(victim)
					}
					return nil
				})
				if rank == victim && errors.Is(errs[rank], errKilled) {
					<-reached
					errs[rank] = r.run(t, dir, rank, nil)
				}
			})
		}
		wg.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		said := r.said.String()
		for _, want := range []string{fmt.Sprintf("step 7: lost peer %d; 3 go on\n", victim), fmt.Sprintf("step 13: peer %d joins; 4 go on\n", victim), "epoch 3  step 24  loss 0."} {
			if strings.Count(said, want) != 1 {
				t.Errorf("they say\n%s\nwant once %q", said, want)
			}
		}
		metrics := results(t, dir)["metrics"]
		for step := 1; step <= 24; step++ {
			if strings.Count(metrics, fmt.Sprintf(`{"step":%d,"epoch":%d,"loss"`, step, (step-1)/8+1)) != 1 {
				t.Errorf("step %d does not stand in the metrics once:\n%s", step, metrics)
			}
		}
		for i, v := range r.sessions[3].State() {
			if got := r.sessions[victim].State()[i]; v.Name != "random" && !bytes.Equal(got.Value.Bytes(), v.Value.Bytes()) {
				t.Errorf("%s of peer %d is %v, want %v", v.Name, victim, got.Value.Data, v.Value.Data)
			}
		}
	}
}

// TestSharedHostile refuses invalid states, and leaves the training unchanged.
func TestSharedHostile(t *testing.T) {
	trainer := func(rank int, change func(*Options)) *trainer {
		opt := teamOptions(t, t.TempDir())
		opt.Group = one{newCircle(3), rank}
		change(&opt)
		x, err := newTrainer(split(nil), points(125), opt)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	giver, other := trainer(0, func(*Options) {}), trainer(0, func(o *Options) { o.Batch = 24 })
	giver.Step, giver.team.members = 5, []int{0, 2}
	good, err := shared{giver}.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := shared{other}.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	giver.team.members = []int{0, 1}
	with, err := shared{giver}.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"nothing": nil, "less": good[:len(good)-1], "more": append(bytes.Clone(good), 0), "a long header": {255, 255, 255, 255, 15}, "no header": {2, '[', ']'},
		"another training": foreign, "the peer itself": with,
	} {
		x := trainer(1, func(*Options) {})
		if err := (shared{x}).UnmarshalBinary(b); err == nil || x.Step != 0 || len(x.team.members) != 3 {
			t.Errorf("%s: got %v, step %d of %v", name, err, x.Step, x.team.members)
		}
	}
	x := trainer(1, func(*Options) {})
	if err := (shared{x}).UnmarshalBinary(good); err != nil || x.Step != 5 || fmt.Sprint(x.team.members) != "[0 2]" {
		t.Errorf("got %v, step %d of %v", err, x.Step, x.team.members)
	}
}
