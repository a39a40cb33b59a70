package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bbgen/bbgen/internal/bench/distributed/stream"
)

const (
	tensor = 8 << 20 // the size in bytes of the sent tensors
	window = 12      // the number of tensors that are timed together
)

// sending returns a program that sends tensors.
func sending(host string, bytes int) setting {
	s := setting{host: host, first: "source", others: "sink", count: 1, parameters: bytes / 4}
	for i := 1; i < stream.Lanes; i++ {
		s.loops = append(s.loops, fmt.Sprint("length", i)) // the names of the modules that wait for the answers
	}
	return s
}

// streams compares tensors that one peer sends to another with bytes on a stream of the same transport
// without a protocol, in turn.
func (b *bench) streams(host string) error {
	const turns, windows = 5, 5
	raw, err := b.raw(host)
	if err != nil {
		return err
	}
	var ours, bare []time.Duration
	var mine, theirs [2]time.Duration // processor time of the sender and of the receiver
	for range turns {
		times, busy, err := pour(raw, (windows+1)*window)
		if err != nil {
			return err
		}
		bare, theirs = append(bare, windowed(times)[1:]...), least(theirs, busy, (windows+1)*window)
		err = b.run("stream", sending(host, tensor), func(f *fleet) error {
			if _, err := f.rounds(0); err != nil {
				return err
			}
			before, err := f.busy(f.count + 1)
			if err != nil {
				return err
			}
			times, err := f.rounds(windows * window)
			if err != nil {
				return err
			}
			after, err := f.busy(f.count + 1)
			if err != nil {
				return err
			}
			ours = append(ours, windowed(times)...)
			mine = least(mine, [2]time.Duration{after[0] - before[0], after[1] - before[1]}, windows*window+warm)
			return nil
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
	log.Printf("  least processor time of a tensor: source %v, sink %v; bare: %v, %v", mine[0], mine[1], theirs[0], theirs[1])
	x, y := rate("tensors of 8 MiB from one program to another", ours), rate("the bare encrypted stream", bare)
	b.add(x)
	b.add(y)
	b.add(row{Figure: "the one over the other", Host: host, Value: x.Value / y.Value, Best: x.Best / y.Best, Bound: "≥", Bar: 0.9})
	return nil
}

// least returns the minimum of so, unless it is 0, and of the time for each of count.
func least(so [2]time.Duration, all [2]time.Duration, count int) [2]time.Duration {
	for i := range so {
		if d := all[i] / time.Duration(count); so[i] == 0 || d < so[i] {
			so[i] = d
		}
	}
	return so
}

// windowed returns the total time of each window.
func windowed(times []time.Duration) []time.Duration {
	var out []time.Duration
	for w := range slices.Chunk(times, window) {
		out = append(out, sum(w))
	}
	return out
}

// pour runs the program that writes to a stream without a protocol. It returns the time for each tensor, and
// the processor time of both ends. Each end has one core, like each peer of a fleet of two.
func pour(bin string, count int) (each []time.Duration, busy [2]time.Duration, err error) {
	size, times := strconv.Itoa(tensor), strconv.Itoa(count)
	taker := exec.Command(bin, size, times)
	taker.Env = append(os.Environ(), "GOMAXPROCS=1")
	taker.Stderr = os.Stderr
	out, err := taker.StdoutPipe()
	if err != nil {
		return nil, busy, err
	}
	if err := taker.Start(); err != nil {
		return nil, busy, err
	}
	r := bufio.NewReader(out)
	at, err := r.ReadString('\n')
	if err != nil {
		return nil, busy, errors.Join(err, taker.Wait())
	}
	giver := exec.Command(bin, size, times, strings.TrimSpace(at))
	giver.Env, giver.Stderr = taker.Env, os.Stderr
	if err := giver.Run(); err != nil {
		taker.Process.Kill()
		return nil, busy, errors.Join(err, taker.Wait())
	}
	for {
		var d time.Duration
		if _, err = fmt.Fscan(r, &d); err != nil {
			break
		}
		each = append(each, d)
	}
	if err == io.EOF {
		err = nil
	}
	if err := errors.Join(err, taker.Wait()); err != nil {
		return nil, busy, err
	}
	for i, c := range []*exec.Cmd{giver, taker} {
		busy[i] = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	return each, busy, nil
}

// overhead measures the bytes that two peers write, before encryption, for each byte of tensors of 1 MiB sent
// between them.
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
