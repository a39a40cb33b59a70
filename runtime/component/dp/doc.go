// Package dp has components for differential privacy: noise hides the contribution of a single peer. Peers send
// their changes of a model, not the model.
//
//   - [Average] is an aggregator of a trusted server: it bounds the norm of each change and adds noise to the
//     mean.
//   - [Local] adds noise on a peer, which then need not trust any other peer. The mean has much more noise.
//   - [Discrete] adds a part of the noise on each peer, in integers, for a sum that package secagg reveals to
//     the server without single values.
//
// [Sampler] chooses the participants, so that less noise is enough. The noise of each component is a multiple
// of the maximum norm of a change. Package accountant, and "bbgen cost --privacy", compute ε and δ from it.
// They hold for a peer whose change counts or is left out; participation itself is not hidden.
package dp
