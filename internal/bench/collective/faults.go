package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/train"
)

const (
	downtime = time.Second      // from the kill of a rank until it is started again
	settling = 10 * time.Second // from a kill until all ranks take part again, at most
)

// faults measures how fast many ranks make steps together: for some time without faults, then while one rank after the
// other is killed and started again, then without faults again. The speed with faults is compared with that without, and with that of the
// times between them in which all ranks take part: a machine that becomes slower meanwhile does not count there. Rank 0 stays,
// as it records the steps.
func (b *bench) faults() error {
	m, dir := models[0], b.dir()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	data, err := m.data(dir)
	if err != nil {
		return err
	}
	tell("faults: %s on %d ranks, for %v with a fault each %v, and for %v without any before and after it", m.name, b.faulty, b.span, b.every, b.calm)
	metrics := filepath.Join(dir, "metrics")
	f, err := b.startTrainers(m, dir, b.faulty, []string{
		"-data", data, "-val-split", "0", "-steps", strconv.Itoa(math.MaxInt32), "-eval-every", strconv.Itoa(math.MaxInt32), "-lr", "0.0001",
		"-batch", strconv.Itoa(b.faulty * 4), "-threads", "1", "-metrics", metrics, "-checkpoint", filepath.Join(dir, "checkpoint"),
	})
	if err != nil {
		return err
	}
	go drain(f)
	defer f.Stop()
	calm := func(time.Duration) error { return nil }
	before, err := stepsIn(b.calm, metrics, calm)
	if err != nil {
		return err
	}
	r, kills, between := rand.New(rand.NewPCG(1, 2)), 0, &stretches{metrics: metrics}
	shaken, err := stepsIn(b.span, metrics, func(since time.Duration) error {
		due := time.Duration(kills)*b.every + b.every/2
		if since < due {
			return between.reach(kills > 0 && since >= due-b.every+settling)
		}
		kills++
		return errors.Join(between.reach(false), killed(f, 1+r.IntN(b.faulty-1)))
	})
	if err != nil {
		return err
	}
	after, err := stepsIn(b.calm, metrics, calm)
	if err != nil {
		return err
	}
	return b.addFaults(before, shaken, between.speed(), after, kills)
}

// addFaults writes the figures of a training, in steps per second: before, with, between and after the faults.
func (b *bench) addFaults(before, shaken, between, after float64, kills int) error {
	tell("%.2f steps a second before, %.2f with %d kills, %.2f between these, %.2f after", before, shaken, kills, between, after)
	rows := []row{
		{Figure: "steps a second without faults", Value: (before + after) / 2, Unit: "1/s"},
		{Figure: fmt.Sprintf("steps with a fault each %v, over those without", b.every), Value: 2 * shaken / (before + after), Bound: "≥", Bar: 0.99},
	}
	if between > 0 {
		rows = append(rows, row{Figure: fmt.Sprintf("steps with a fault each %v, over those between the faults", b.every), Value: shaken / between, Bound: "≥", Bar: 0.99})
	}
	for _, row := range rows {
		row.Ranks, row.Encrypted = b.faulty, true
		if err := b.add(row); err != nil {
			return err
		}
	}
	return nil
}

// drain reads the events of a fleet, which waits for that, until it has ended.
func drain(f *launch.Fleet) {
	for range f.Lines() {
	}
}

// killed kills a rank, and starts it again after a while.
func killed(f *launch.Fleet, rank int) error {
	tell("kill -9 of rank %d", rank)
	if err := f.Kill(rank); err != nil {
		return err
	}
	time.Sleep(downtime)
	return f.Restart(rank)
}

// stepsIn returns how many steps a second a training makes in some time. Meanwhile it calls a function again and again,
// with the time that has passed.
func stepsIn(span time.Duration, metrics string, meanwhile func(since time.Duration) error) (float64, error) {
	first, err := lastStep(metrics)
	for wait := time.Now(); first <= warm && time.Since(wait) < patience; first, err = lastStep(metrics) {
		time.Sleep(100 * time.Millisecond)
	}
	if err == nil && first <= warm {
		err = fmt.Errorf("%w: there are %d steps after %v", errNothing, first, patience)
	}
	begin := time.Now()
	for err == nil && time.Since(begin) < span {
		time.Sleep(10 * time.Millisecond)
		err = meanwhile(time.Since(begin))
	}
	took := time.Since(begin)
	if err != nil {
		return 0, err
	}
	last, err := lastStep(metrics)
	if err == nil && last == first {
		err = fmt.Errorf("%w: no step after step %d in %v", errNothing, first, span)
	}
	return float64(last-first) / took.Seconds(), err
}

// stretches are times in which all ranks take part.
type stretches struct {
	metrics string
	on      bool      // one is under way
	began   time.Time // when
	first   int       // the step before it
	steps   int       // of those that have ended
	took    time.Duration
}

// reach begins a stretch, or ends it.
func (s *stretches) reach(on bool) error {
	if on == s.on {
		return nil
	}
	last, err := lastStep(s.metrics)
	if on {
		s.began, s.first = time.Now(), last
	} else {
		s.steps, s.took = s.steps+last-s.first, s.took+time.Since(s.began)
	}
	s.on = on
	return err
}

// speed returns the steps in a second, or 0 if no stretch has ended.
func (s *stretches) speed() float64 { return float64(s.steps) / max(s.took.Seconds(), 1e-9) }

// lastStep returns the number of the last step in a file of metrics, or 0 if there is none yet.
func lastStep(file string) (int, error) {
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return 0, nil
	}
	lines := bytes.Split(text, []byte("\n"))
	if err != nil || len(lines) < 2 {
		return 0, err
	}
	var l train.Line
	err = json.Unmarshal(lines[len(lines)-2], &l) // behind the last newline a line may be incomplete
	return l.Step, err
}
