// Package robust is what aggregators share that must see all contributions of a round
// at once, as robust rules do: [Contributions] keeps them until they are combined. A
// rule is a package below this one, whose Aggregator embeds them:
//
//	type Aggregator struct{ robust.Contributions }
//
//	func (a *Aggregator) Aggregate(context.Context) (tensor.Dense[float32], error) { return a.Combine(rule) }
//
// What is kept is as many models as there are contributions. The weights that peers
// claim are checked, but rules that bound what a hostile peer can do count each peer as
// one: a weight is a claim like any other.
package robust
