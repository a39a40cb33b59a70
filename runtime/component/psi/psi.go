package psi

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Asker is the part of the peer that asks for common rows. Its methods are commands.
type Asker struct {
	Ids Ids // set with Needs
	secret
}

// Open draws the secret.
func (a *Asker) Open(env runtime.Env) error { return a.open(env) }

// Ask returns a point for each row, which says nothing about the row. The number is not used: it says when.
func (a *Asker) Ask(context.Context, int64) (tensor.Dense[uint8], error) {
	points, err := pointsOf(a.number(), a.Ids.Ids())
	return bytesOf(points), err
}

// Match returns the common rows, and picks that tell them to the [Answerer]: twice and own are what that has
// answered.
func (a *Asker) Match(_ context.Context, twice, own tensor.Dense[uint8]) (rows, picks tensor.Dense[int64], err error) {
	mine := len(a.Ids.Ids())
	if len(twice.Data) != mine*pointSize {
		return rows, picks, fmt.Errorf("the answer has %d bytes, want %d points of %d bytes", len(twice.Data), mine, pointSize)
	}
	theirs, err := timesAll(a.number(), own.Data)
	if err != nil {
		return rows, picks, err
	}
	at := make(map[[pointSize]byte]int64, len(theirs))
	for i, p := range theirs {
		at[p] = int64(i)
	}
	var found [][2]int64 // a pick and a row
	for row := range mine {
		if pick, ok := at[[pointSize]byte(twice.Data[row*pointSize:])]; ok {
			found = append(found, [2]int64{pick, int64(row)})
		}
	}
	slices.SortFunc(found, func(x, y [2]int64) int { return int(x[0] - y[0]) }) // an order that says nothing about rows
	r, p := make([]int64, len(found)), make([]int64, len(found))
	for i, f := range found {
		p[i], r[i] = f[0], f[1]
	}
	return rowsOf(r), rowsOf(p), nil
}

// Answerer is the part of the peer that answers an [Asker]. Its methods are commands.
type Answerer struct {
	Ids Ids // set with Needs
	secret
}

// Open draws the secret.
func (a *Answerer) Open(env runtime.Env) error { return a.open(env) }

// Answer returns the asker's points multiplied again, and a point for each row of its own, in an order that says
// nothing about the rows.
func (a *Answerer) Answer(_ context.Context, asked tensor.Dense[uint8]) (twice, own tensor.Dense[uint8], err error) {
	number := a.number()
	again, err := timesAll(number, asked.Data)
	if err != nil {
		return twice, own, err
	}
	points, err := pointsOf(number, a.Ids.Ids())
	if err != nil {
		return twice, own, err
	}
	slices.SortFunc(points, compare)
	return bytesOf(again), bytesOf(points), nil
}

func compare(a, b [pointSize]byte) int { return bytes.Compare(a[:], b[:]) }

// Rows returns the common rows, in the order of the asker's, from its picks.
func (a *Answerer) Rows(_ context.Context, picks tensor.Dense[int64]) (tensor.Dense[int64], error) {
	points, err := pointsOf(a.number(), a.Ids.Ids())
	if err != nil {
		return tensor.Dense[int64]{}, err
	}
	order := make([]int64, len(points))
	for i := range order {
		order[i] = int64(i)
	}
	slices.SortFunc(order, func(i, j int64) int { return compare(points[i], points[j]) })
	rows := make([]int64, len(picks.Data))
	for i, p := range picks.Data {
		if p < 0 || p >= int64(len(order)) || i > 0 && p <= picks.Data[i-1] {
			return tensor.Dense[int64]{}, fmt.Errorf("pick %d is %d, want increasing numbers below %d", i, p, len(order))
		}
		rows[i] = order[p]
	}
	return rowsOf(rows), nil
}
