// Package robust is the common part of aggregators that need all contributions of a round at once, as robust
// rules do: [Contributions] keeps them until they are combined. A rule is a package below this one, whose
// Aggregator embeds them:
//
//	type Aggregator struct{ robust.Contributions }
//
//	func (a *Aggregator) Aggregate(context.Context) (tensor.Dense[float32], error) { return a.Combine(rule) }
//
// The memory is as many models as there are contributions. The weights that peers claim are checked, but rules
// that bound the influence of a hostile peer count each peer as one, as a weight is also only a claim.
package robust
