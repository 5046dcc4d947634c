const steps = [
  ['Tap Share in Safari’s bar.', 'M12 3v12M8 7l4-4 4 4M6 11H5v10h14V11h-1'],
  ['Choose “Add to Home Screen”.', 'M5 3h14v18H5zM12 8v8M8 12h8'],
  [
    'Open the desk from there and press “Ring this phone”.',
    'M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4',
  ],
] as const

/** iPhones ring for what is on their home screen only. */
export const HomeScreenSteps = () => (
  <div className="card">
    <p>An iPhone rings once the desk is on its home screen:</p>
    <ol className="steps">
      {steps.map(([words, path]) => (
        <li key={words}>
          <svg className="icon" viewBox="0 0 24 24" width="32" height="32" aria-hidden="true">
            <path d={path} />
          </svg>
          {words}
        </li>
      ))}
    </ol>
  </div>
)
