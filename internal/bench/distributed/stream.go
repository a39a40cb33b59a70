package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bbgen/bbgen/internal/bench/distributed/stream"
)

const (
	tensor = 8 << 20 // bytes of what is sent where throughput is measured
	window = 12      // of them are timed together
)

// sending is a program that sends tensors.
func sending(host string, bytes int) setting {
	s := setting{host: host, first: "source", others: "sink", count: 1, parameters: bytes / 4}
	for i := 1; i < stream.Lanes; i++ {
		s.loops = append(s.loops, fmt.Sprint("length", i)) // as the modules are called that wait for the answers
	}
	return s
}

// streams compares tensors that one peer sends to another with bytes on a bare
// stream of the same transport, in turn.
func (b *bench) streams(host string) error {
	const turns, windows = 5, 5
	raw, err := b.raw(host)
	if err != nil {
		return err
	}
	var ours, bare []time.Duration
	for range turns {
		times, err := pour(raw, (windows+1)*window)
		if err != nil {
			return err
		}
		bare = append(bare, windowed(times)[1:]...)
		err = b.run("stream", sending(host, tensor), func(f *fleet) error {
			times, err := f.rounds(windows * window)
			ours = append(ours, windowed(times)...)
			return err
		})
		if err != nil {
			return err
		}
	}
	rate := func(figure string, times []time.Duration) row {
		mbs := func(d time.Duration) float64 { return window * tensor / d.Seconds() / 1e6 }
		slices.Sort(times)
		return row{Figure: figure, Host: host, Value: mbs(times[len(times)/2]), Best: mbs(times[0]), Unit: "MB/s"}
	}
	mine, theirs := rate("tensors of 8 MiB from one program to another", ours), rate("the bare encrypted stream", bare)
	b.add(mine)
	b.add(theirs)
	b.add(row{Figure: "the one over the other", Host: host, Value: mine.Value / theirs.Value, Best: mine.Best / theirs.Best, Bound: "≥", Bar: 0.9})
	return nil
}

// windowed adds up the times of each window.
func windowed(times []time.Duration) []time.Duration {
	var out []time.Duration
	for w := range slices.Chunk(times, window) {
		out = append(out, sum(w))
	}
	return out
}

// pour runs the program that writes to a bare stream and returns how long each
// tensor's worth took. Each end has one core, as each peer of a fleet of two.
func pour(bin string, count int) ([]time.Duration, error) {
	size, times := strconv.Itoa(tensor), strconv.Itoa(count)
	taker := exec.Command(bin, size, times)
	taker.Env = append(os.Environ(), "GOMAXPROCS=1")
	taker.Stderr = os.Stderr
	out, err := taker.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := taker.Start(); err != nil {
		return nil, err
	}
	r := bufio.NewReader(out)
	at, err := r.ReadString('\n')
	if err != nil {
		return nil, errors.Join(err, taker.Wait())
	}
	giver := exec.Command(bin, size, times, strings.TrimSpace(at))
	giver.Env, giver.Stderr = taker.Env, os.Stderr
	if err := giver.Run(); err != nil {
		taker.Process.Kill()
		return nil, errors.Join(err, taker.Wait())
	}
	var each []time.Duration
	for {
		var d time.Duration
		if _, err := fmt.Fscan(r, &d); err == io.EOF {
			return each, taker.Wait()
		} else if err != nil {
			return nil, errors.Join(err, taker.Wait())
		}
		each = append(each, d)
	}
}

// overhead measures what two peers write, before encryption, for each byte of
// tensors of 1 MiB that go from one to the other.
func (b *bench) overhead(host string) error {
	const rounds, size = 200, 1 << 20
	s := sending(host, size)
	s.rounds = rounds
	f, err := b.fleet("stream", s)
	if err != nil {
		return err
	}
	for range stream.Lanes {
		if err == nil {
			_, err = f.until("published", "source.done", "length1.done", "length2.done")
		}
	}
	f.stop()
	if err != nil {
		return err
	}
	b.add(row{Figure: "bytes written, before encryption, per byte of a tensor of 1 MiB", Host: host, Value: float64(f.in+f.out) / (stream.Lanes * rounds * size), Bound: "≤", Bar: 1.001})
	return nil
}
