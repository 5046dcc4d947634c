export const PromiseScreen = () => (
  <main>
    <h1>The promise</h1>
  </main>
)
