// Package clustered trains several models for clients of several kinds, which nobody knows beforehand (IFCA): A. Ghosh
// and others, "An Efficient Framework for Clustered Federated Learning", 2020. In each round a client gets all models,
// trains the one with the smallest loss on its data, and sends the change with the number of the model. The server
// averages the changes of each model.
//
//	// on a client: models is float32[clusters,n]
//	cluster := c.Choice.Call(g, "Best", dsl.Int64(), losses)
//	model := c.Choice.Call(g, "Pick", dsl.Float32(dsl.Any), models, cluster)
//	g.NetOut("update", server, c.Choice.Call(g, "Update", dsl.GoType(clustered.Update{}, most), change, cluster))
//	// on the server
//	update := g.Input("update", dsl.GoType(clustered.Update{}, most), dsl.From(clients))
//	mean := s.Mean.Aggregate(g, s.Mean.Contribute(g, update, samples), dsl.Quorum(k), dsl.Float32(clusters, n))
package clustered

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/internal/byround"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Update is a client's change of one of the models.
type Update struct {
	Cluster int // the number of the model
	Change  []float32
}

// AppendBinary appends the number and the change.
func (u *Update) AppendBinary(b []byte) ([]byte, error) {
	b = binary.AppendUvarint(b, uint64(u.Cluster))
	return values.AppendDense(b, tensor.DenseOf(u.Change, len(u.Change))), nil
}

// maxClusters limits what peers can make a server allocate.
const maxClusters = 1 << 10

// UnmarshalBinary reads the output of AppendBinary.
func (u *Update) UnmarshalBinary(b []byte) error {
	var change tensor.Dense[float32]
	f := values.NewFields(b)
	cluster := f.Uint()
	values.ReadDense(f, &change)
	if err := f.End(); err != nil {
		return err
	}
	if cluster >= maxClusters || len(change.Shape) != 1 {
		return fmt.Errorf("a change of shape %v for model %d, want a vector, and a number below %d", change.Shape, cluster, maxClusters)
	}
	if !cpu.AllFinite(change.Data) {
		return errors.New("the change is not finite")
	}
	u.Cluster, u.Change = int(cluster), slices.Clone(change.Data)
	return nil
}

// Choice is the component of a client.
type Choice struct{}

// Best returns the index of the smallest of the models' losses.
func (Choice) Best(losses tensor.Dense[float32]) (int64, error) {
	best := -1
	for i, l := range losses.Data {
		if l == l && (best < 0 || l < losses.Data[best]) {
			best = i
		}
	}
	if best < 0 {
		return 0, errors.New("no model has a loss that is a number")
	}
	return int64(best), nil
}

// Pick returns one of the models, which are the rows of a matrix.
func (Choice) Pick(models tensor.Dense[float32], cluster int64) (tensor.Dense[float32], error) {
	if len(models.Shape) != 2 || cluster < 0 || cluster >= int64(models.Shape[0]) {
		return tensor.Dense[float32]{}, fmt.Errorf("model %d of a matrix of shape %v", cluster, models.Shape)
	}
	n := models.Shape[1]
	return tensor.DenseOf(slices.Clone(models.Data[int(cluster)*n:][:n]), n), nil
}

// Update returns the client's update.
func (Choice) Update(change tensor.Dense[float32], cluster int64) (Update, error) {
	return Update{Cluster: int(cluster), Change: slices.Clone(change.Data)}, nil
}

// AppendBinary appends nothing: there is no state.
func (Choice) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary reads the output of AppendBinary.
func (Choice) UnmarshalBinary(b []byte) error { return values.NewFields(b).End() }

// Average implements the role Aggregator for updates: the mean change of each model, by weight, which is zero for a
// model that no client has chosen. The result does not depend on the order in which updates arrive.
type Average struct {
	Clusters int // models
	Size     int // elements of each

	updates byround.Values[[]one]
}

// one is the update of a client.
type one struct {
	from   wire.PeerID
	weight float32
	Update
}

// Open checks the configuration.
func (a *Average) Open(runtime.Env) error {
	if a.Clusters < 1 || a.Clusters > maxClusters || a.Size < 1 {
		return fmt.Errorf("clustered.Average: Clusters is %d and Size %d, want 1 to %d, and 1 or more", a.Clusters, a.Size, maxClusters)
	}
	return nil
}

// Enter sets the execution to which the following calls belong.
func (a *Average) Enter(r runtime.Round) { a.updates.Enter(r) }

// Leave forgets the updates of an execution.
func (a *Average) Leave(r runtime.Round) { a.updates.Leave(r) }

// Contribute keeps the update of a client.
func (a *Average) Contribute(from wire.PeerID, u Update, weight float32) error {
	switch w := float64(weight); {
	case u.Cluster < 0 || u.Cluster >= a.Clusters || len(u.Change) != a.Size:
		return fmt.Errorf("%d elements for model %d, want %d, and a model below %d", len(u.Change), u.Cluster, a.Size, a.Clusters)
	case !(w > 0) || math.IsInf(w, 0):
		return fmt.Errorf("the weight is %v, want a number above 0", weight)
	}
	list := a.updates.Begin()
	*list = append(*list, one{from, weight, Update{u.Cluster, slices.Clone(u.Change)}})
	return nil
}

// Aggregate returns the mean change of each model as a row, and forgets the updates.
func (a *Average) Aggregate() (tensor.Dense[float32], error) {
	taken := a.updates.Take()
	if len(taken) == 0 {
		return tensor.Dense[float32]{}, errors.New("no peer has contributed")
	}
	list := *taken[0]
	slices.SortStableFunc(list, func(x, y one) int { return x.from.Compare(y.from) })
	sums, weights := make([]float64, a.Clusters*a.Size), make([]float64, a.Clusters)
	for _, c := range list {
		cpu.AddScaled64(sums[c.Cluster*a.Size:][:a.Size], c.Change, float64(c.weight))
		weights[c.Cluster] += float64(c.weight)
	}
	out := tensor.NewDense[float32](a.Clusters, a.Size)
	for k, w := range weights {
		if row := out.Data[k*a.Size:][:a.Size]; w > 0 {
			cpu.DivNarrow(row, sums[k*a.Size:][:a.Size], w)
		} else {
			clear(row)
		}
	}
	return out, nil
}

// AppendBinary appends the updates so far.
func (a *Average) AppendBinary(b []byte) ([]byte, error) {
	return a.updates.AppendItems(binary.AppendUvarint(b, uint64(a.updates.Len())), appendUpdates), nil
}

func appendUpdates(b []byte, list *[]one) []byte {
	b = binary.AppendUvarint(b, uint64(len(*list)))
	for _, c := range *list {
		b = values.AppendScalar(values.AppendPeer(b, c.from), c.weight)
		b = binary.AppendUvarint(b, uint64(c.Cluster))
		b = values.AppendDense(b, tensor.DenseOf(c.Change, len(c.Change)))
	}
	return b
}

// UnmarshalBinary reads the output of AppendBinary.
func (a *Average) UnmarshalBinary(b []byte) error {
	var read byround.Values[[]one]
	f := values.NewFields(b)
	err := read.ReadItems(f, f.Count(1), a.readUpdates)
	if err := cmp.Or(err, f.End()); err != nil {
		return err
	}
	a.updates.Replace(read)
	return nil
}

func (a *Average) readUpdates(f *values.Fields, list *[]one) error {
	for range f.Count(1) {
		var c one
		var change tensor.Dense[float32]
		f.Peer(&c.from)
		values.ReadScalar(f, &c.weight)
		c.Cluster = int(f.Uint())
		if values.ReadDense(f, &change); f.Err() != nil {
			return f.Err()
		}
		if c.Cluster < 0 || c.Cluster >= a.Clusters || len(change.Data) != a.Size {
			return fmt.Errorf("%d elements for model %d, want %d, and a model below %d", len(change.Data), c.Cluster, a.Size, a.Clusters)
		}
		c.Change = change.Data
		*list = append(*list, c)
	}
	return nil
}
